"""The app's pages without a browser: opened, filled in and read in a few words."""

import json
from typing import Any, Self

from streamlit.testing.v1 import AppTest

import navigation

_TEXTS = ("markdown", "caption", "subheader", "toast", "success", "info", "warning", "error")
_ALERTS = ("success", "info", "warning", "error")


class Page(AppTest):
    """`AppTest` of the app; a run that ends in an exception fails the test."""

    def _run(self, *args: Any, **options: Any) -> Self:
        super()._run(*args, **options)
        assert not self.exception, self.exception[0].value
        for field in self.selectbox:  # AppTest forgets what was typed into a list
            if field.value is not None and (typed := str(field.format_func(field.value))) not in field.options:
                field.options.append(typed)
        return self

    def visit(self, **parameters: Any) -> Self:
        """The page that is open, the first one at first, by a link with these parameters."""
        self.query_params.update(parameters)
        self.run()
        return self

    def open(self, address: str, **parameters: Any) -> Self:
        """The page of this address, by a link with these parameters."""
        self.switch_page(f"pages/{address}/page.py")
        return self.visit(**parameters)

    def fresh(self, *kept: str) -> Self:
        """Another session that has not been run yet, with what the address has: all of it, or these parameters."""
        other = type(self)(self._script_path, default_timeout=self.default_timeout)
        other.query_params.update({name: self.query_params[name] for name in kept or self.query_params})
        return other

    def begin_work(self, *kinds: str) -> Self:
        """The page after a click on each button that begins work: of these kinds, or all."""
        wanted = {f"begin_{kind.replace(' ', '_')}" for kind in kinds}
        for key in [button.key for button in self.button if (button.key or "").startswith("begin_") and not button.disabled]:
            if not kinds or key in wanted:
                self.click(key)
        return self

    def wait(self, *kinds: str) -> Self:
        """The page once its background work of these kinds has been asked for and has ended, also what begins with the result of other work."""
        from server.jobs import jobs

        ended: list[Any] = []
        while True:
            self.begin_work(*kinds)
            begun = [job for kind in kinds for job in jobs().all(kind) if job not in ended]
            if not begun:
                return self
            ended += begun
            assert all(job.wait(600) for job in begun)
            self.run()

    def _values(self, *kinds: str) -> list[str]:
        return [str(element.value) for kind in kinds for element in getattr(self, kind)]

    @property
    def texts(self) -> str:
        """All that is said, one text a line."""
        return "\n".join(self._values(*_TEXTS))

    def says(self, *texts: str) -> Self:
        """The page, on which all of this stands."""
        said = self.texts
        for text in texts:
            assert text in said, text
        return self

    def hides(self, *texts: str) -> Self:
        """The page, on which nothing of this stands."""
        said = self.texts
        for text in texts:
            assert text not in said, text
        return self

    @property
    def alerts(self) -> str:
        """What stands in boxes."""
        return "\n".join(self._values(*_ALERTS))

    @property
    def errors(self) -> list[str]:
        return self._values("error")

    @property
    def warnings(self) -> list[str]:
        return self._values("warning")

    @property
    def infos(self) -> list[str]:
        return self._values("info")

    @property
    def toasts(self) -> list[str]:
        return self._values("toast")

    @property
    def links(self) -> list[Any]:
        """Its links to pages, without those to the others of its group."""
        paths = {page.title for page in navigation.PAGES if page.group} | {"search", "saliency"}  # and those of the large picture
        return [link for link in self.get("page_link") if link.proto.label not in paths]

    @property
    def labels(self) -> list[str]:
        """Of its buttons."""
        return [button.label for button in self.button]

    def button_of(self, label: str) -> Any:
        """The first button with this label."""
        return next(button for button in self.button if button.label == label)

    def press(self, label: str) -> Self:
        """The page after a click on the first button with this label."""
        self.button_of(label).click().run()
        return self

    def type_option(self, key: str, name: str) -> Self:
        """The page once this was typed into a list that takes new options."""
        self.at(key).options.append(name)
        return self.set(key, name)

    def at(self, key: str) -> Any:
        """The control of this key, of whatever kind."""
        return next(node for node in self if getattr(node, "key", None) == key)

    def has(self, key: str) -> bool:
        return any(getattr(node, "key", None) == key for node in self)

    def set(self, key: str, value: Any) -> Self:
        """The page after the control of this key got a value."""
        self.at(key).set_value(value).run()
        return self

    def enter(self, **values: Any) -> Self:
        """The page after the controls of these keys got values, all at once."""
        for key, value in values.items():
            self.at(key).set_value(value)
        self.run()
        return self

    def click(self, key: str) -> Self:
        """The page after a click on the button of this key."""
        self.at(key).click().run()
        return self

    def control(self, kind: str, name: str) -> Any:
        """The first control of this kind whose key begins with `name`."""
        return next(control for control in getattr(self, kind) if str(control.key).startswith(name))

    def fill(self, kind: str, name: str, value: Any) -> Self:
        """The page after that control got a value."""
        self.control(kind, name).set_value(value).run()
        return self

    @property
    def metrics(self) -> dict[str, str]:
        """What stands in each metric, by its label."""
        return {metric.label: metric.value for metric in self.metric}

    @property
    def bars(self) -> str:
        """What stands on bars of progress."""
        return "\n".join(element.proto.text for element in self.get("progress"))

    @property
    def charts(self) -> list[list[dict[str, Any]]]:
        """The traces of each figure."""
        return [json.loads(chart.proto.spec)["data"] for chart in self.get("plotly_chart")]

    @property
    def html(self) -> str:
        """All of its own HTML."""
        return "\n".join(each.proto.body for each in self.get("html"))

    def sent(self, key: str) -> Any:
        """What the component of this key has got; None where it is not on the page."""
        return next((json.loads(each.proto.json) for each in self.get("bidi_component") if each.proto.id.endswith(f"-{key}")), None)
