"""Reports to share: one HTML file of a notion or run, with pictures and linked maps, that needs no server and asks the network for nothing."""

from likeness.reports.notion_report import check_color as check_color, notion_report as notion_report
from likeness.reports.options import ReportOptions as ReportOptions
from likeness.reports.page import report_html as report_html, write_report as write_report
from likeness.reports.report import Report as Report
from likeness.reports.run_report import run_report as run_report
from likeness.reports.slices_report import error_captions as error_captions, slices_report as slices_report
