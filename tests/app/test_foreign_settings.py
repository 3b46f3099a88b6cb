"""Streamlit's own files in the current folder, which are a stranger's: neither options nor secrets of them count."""

import os
import subprocess
import sys
from pathlib import Path

_APP = Path(__file__).resolve().parents[2] / "app"
_CONFIG = """
[global]
e2eTest = true
[server]
enableXsrfProtection = false
enableCORS = false
enableStaticServing = true
address = "0.0.0.0"
[client]
showErrorDetails = "full"
[theme]
primaryColor = "#ff0000"
"""
_OPTIONS = ("global.e2eTest", "server.enableXsrfProtection", "server.enableCORS", "server.enableStaticServing", "client.showErrorDetails")
_SCRIPT = f"""
import os, sys
sys.path.insert(0, {str(_APP)!r})
import serve
from streamlit import config
from streamlit.runtime.secrets import secrets_singleton
from streamlit.web import bootstrap, cli

def main(arguments, prog_name):
    config._main_script_path = arguments[1]
    bootstrap.load_config_options({{}})
    secrets_singleton.load_if_toml_exists()
    print(*[config.get_option(name) for name in {_OPTIONS}], config.get_option("theme.primaryColor"), os.environ.get("STOLEN"))

cli.main = main
serve._run_streamlit(["run", {str(_APP / "server.py")!r}])
"""


def test_no_option_and_no_secret_of_the_current_folder_counts(tmp_path: Path) -> None:
    (tmp_path / ".streamlit").mkdir()
    (tmp_path / ".streamlit" / "config.toml").write_text(_CONFIG)
    (tmp_path / ".streamlit" / "secrets.toml").write_text('STOLEN = "yes"\n')
    done = subprocess.run([sys.executable, "-c", _SCRIPT], cwd=tmp_path, env=os.environ | {"HOME": str(tmp_path)}, capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True", "True", "False", "none", "None", "None"], done.stderr
