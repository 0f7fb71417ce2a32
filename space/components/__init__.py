"""Pure HTML and SVG: the looks of the pages, without Gradio."""
