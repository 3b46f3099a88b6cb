"""The one exception that speaks to people."""


class InputError(ValueError):
    """Bad input: the message is one sentence that names the value, what was expected and the remedy.

    The command line prints it and exits with status 2; the app shows it in place. Anything else that is raised is a defect.
    """
