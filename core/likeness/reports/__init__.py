"""Reports to share: one HTML file of a notion or run, with pictures and linked maps, that needs no server and asks the network for nothing."""

from likeness.reports.notion_report import notion_report
from likeness.reports.options import MEGABYTES, MOST_IMAGES, ReportOptions
from likeness.reports.page import report_html, write_report
from likeness.reports.report import Report
from likeness.reports.run_report import run_report

__all__ = ["MEGABYTES", "MOST_IMAGES", "Report", "ReportOptions", "notion_report", "report_html", "run_report", "write_report"]
