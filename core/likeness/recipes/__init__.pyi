from .saliency_check import car_check as car_check
from .saliency_check import car_masks as car_masks
from .saliency_check import control_spaces as control_spaces
from .saliency_check import summarize_check as summarize_check
from .shipping import ship as ship
