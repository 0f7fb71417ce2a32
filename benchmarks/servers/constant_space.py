"""The baseline of the Space's benchmark: a server that shows one given page, in the same shell and by the same route.

`python -m benchmarks.servers.constant_space PORT FILE`: FILE holds the page. It reads no tables, so what a visitor waits longer
for the Space is what reading the published tables costs.
"""

import sys
from pathlib import Path

import gradio as gr
import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse

from space.app import mount
from space.pages.page import Page, build_filled


def main(port: int, file: Path) -> None:
    """Serve until the process is ended."""
    content = file.read_text(encoding="utf-8")
    page = Page("", "Constant", frozenset(), lambda _view, _mirror: None)  # type: ignore[arg-type,return-value]

    def fill(_request: gr.Request) -> str:
        return content

    with gr.Blocks(title="Seawall", analytics_enabled=False) as blocks:
        build_filled(page, fill)
    app = FastAPI()

    @app.get("/readyz")
    def readyz() -> JSONResponse:
        return JSONResponse({"state": "ready"})

    mount(app, blocks)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


if __name__ == "__main__":
    main(int(sys.argv[1]), Path(sys.argv[2]))
