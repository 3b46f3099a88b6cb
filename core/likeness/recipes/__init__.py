"""What made what ships, and side experiments: renderers, the small CLIP, captioning."""
