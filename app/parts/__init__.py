"""Elements that pages share."""
