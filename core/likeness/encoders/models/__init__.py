"""Pretrained models: open_clip and timm."""
