"""Addresses of what this server answers, as its pages write them: relative, since only the browser knows below which path a proxy serves the app."""


def address(target: str, page: str = "/") -> str:
    """How a page writes the address of a route.

    Args:
        target: the route's path on this server, with its query.
        page: path of the page that writes it; all pages of the app lie at the root, so that the same address holds on each of them.
    """
    return f"{'../' * (page.count('/') - 1) or './'}{target.removeprefix('/')}"
