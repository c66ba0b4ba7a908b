"""The language server protocol over :class:`hlspart.api.Document`; needs pygls, the extra ``lsp``."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from lsprotocol import types as lsp
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from hlspart.api import Document
from hlspart.inputs import display_path
from hlspart.model.diagnostics import Diagnostic, Place
from hlspart.model.options import Options
from hlspart.model.source import SourceText
from hlspart.version import __version__

PAUSE = 0.08  # seconds without a key before a text is looked at
_SEVERITY = {
    "error": lsp.DiagnosticSeverity.Error,
    "warning": lsp.DiagnosticSeverity.Warning,
    "info": lsp.DiagnosticSeverity.Information,
    "note": lsp.DiagnosticSeverity.Hint,
}
_T = TypeVar("_T")


class Server(LanguageServer):
    """Looks at one text at a time, in a thread of its own, so that the protocol never waits."""

    def __init__(self, options: Options) -> None:
        super().__init__("hlspart", __version__)
        self.options = options
        self._worker = ThreadPoolExecutor(1)
        self._documents: dict[str, Document] = {}  # by URI, of the texts as they are
        self._waiting: dict[str, asyncio.Task[None]] = {}

    async def ask(self, uri: str, question: Callable[[Document], _T]) -> _T:
        """An answer about the text that ``uri`` has now."""
        document = self._documents.get(uri)
        if document is None:
            document = self._documents[uri] = Document(_path(uri), self._texts(), self.options)
        return await asyncio.get_running_loop().run_in_executor(self._worker, question, document)

    def _texts(self) -> dict[str, str]:
        return {_path(uri): text.source for uri, text in self.workspace.text_documents.items()}

    def changed(self, uri: str, at_once: bool = False) -> None:
        """Forget what was known of the text and of those that read it, and look again when the user pauses."""
        path = _path(uri)
        for other in [u for u, d in self._documents.items() if u == uri or path in d.read]:
            del self._documents[other]
            self._look(other, at_once)
        self._look(uri, at_once)

    def closed(self, uri: str) -> None:
        """Nothing is shown for a file that is not open; others read it from the disk again."""
        self._documents.pop(uri, None)
        task = self._waiting.pop(uri, None)
        if task is not None:
            task.cancel()
        self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, []))
        path = _path(uri)
        for other in [u for u, d in self._documents.items() if path in d.read]:
            del self._documents[other]
            self._look(other, True)

    def _look(self, uri: str, at_once: bool) -> None:
        before = self._waiting.pop(uri, None)
        if before is not None:
            before.cancel()
        self._waiting[uri] = asyncio.ensure_future(self._publish(uri, 0.0 if at_once else PAUSE))

    async def _publish(self, uri: str, pause: float) -> None:
        await asyncio.sleep(pause)
        if uri not in self.workspace.text_documents:
            return
        version = self.workspace.get_text_document(uri).version
        diagnostics = await self.ask(uri, lambda d: [_finding(d, x) for x in d.findings] or _problem(d))
        if uri in self.workspace.text_documents and self.workspace.get_text_document(uri).version == version:
            self.text_document_publish_diagnostics(lsp.PublishDiagnosticsParams(uri, diagnostics, version))
            if self.client_capabilities.workspace and self.client_capabilities.workspace.code_lens:
                self.workspace_code_lens_refresh(None, lambda _: None)


def made(options: Options) -> Server:
    """A server with its features; ``start_io`` runs it."""
    server = Server(options)

    @server.feature(lsp.INITIALIZE)
    def initialize(params: lsp.InitializeParams) -> None:
        root = params.workspace_folders[0].uri if params.workspace_folders else params.root_uri
        folder = to_fs_path(root) if root else None
        if folder and os.path.isdir(folder):
            os.chdir(folder)  # paths in messages are relative to it

    @server.feature(lsp.TEXT_DOCUMENT_DID_OPEN)
    async def opened(params: lsp.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri, at_once=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(params: lsp.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: lsp.DidSaveTextDocumentParams) -> None:
        server.changed(params.text_document.uri, at_once=True)

    @server.feature(lsp.TEXT_DOCUMENT_DID_CLOSE)
    async def closed(params: lsp.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
    async def lenses(params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
        titles = await server.ask(params.text_document.uri, lambda d: d.titles)
        return [lsp.CodeLens(_line(t.line), lsp.Command(title=t.text, command="")) for t in titles]

    @server.feature(lsp.TEXT_DOCUMENT_HOVER)
    async def hover(params: lsp.HoverParams) -> lsp.Hover | None:
        def find(document: Document) -> lsp.Hover | None:
            source = document.source(document.path)
            at = None if source is None else _offset(source, params.position)
            note = None if at is None else document.note_at(at)
            if source is None or note is None:
                return None
            where = lsp.Range(_position(source, note.span.start), _position(source, note.span.end))
            return lsp.Hover(lsp.MarkupContent(lsp.MarkupKind.Markdown, note.text), where)

        return await server.ask(params.text_document.uri, find)

    @server.feature(
        lsp.TEXT_DOCUMENT_CODE_ACTION, lsp.CodeActionOptions(code_action_kinds=[lsp.CodeActionKind.QuickFix])
    )
    async def actions(params: lsp.CodeActionParams) -> list[lsp.CodeAction]:
        first, last = params.range.start.line + 1, params.range.end.line + 1

        def find(document: Document) -> list[lsp.CodeAction]:
            near = [d for d in document.findings if d.place.line <= last and d.place.end_line >= first and d.fix]
            return [made for d in near if (made := _action(document, d)) is not None]

        return await server.ask(params.text_document.uri, find)

    return server


def _action(document: Document, item: Diagnostic) -> lsp.CodeAction | None:
    """The fix of a finding, where it holds on the changed text."""
    fixed = document.fixed(item)
    if fixed is None or not fixed.texts or item.fix is None:
        return None
    edits: dict[str, list[lsp.TextEdit]] = {}
    for edit in item.fix.edits:
        source = document.source(edit.span.path)
        if source is None:
            return None
        where = lsp.Range(_position(source, edit.span.start), _position(source, edit.span.end))
        edits.setdefault(_uri(edit.span.path), []).append(lsp.TextEdit(where, edit.text))
    title = item.fix.message if item.fix.safe else f"{item.fix.message} (changes what the tool builds)"
    return lsp.CodeAction(
        title, lsp.CodeActionKind.QuickFix, [_finding(document, item)], is_preferred=item.fix.safe,
        edit=lsp.WorkspaceEdit(changes=edits),
    )  # fmt: skip


def _finding(document: Document, item: Diagnostic) -> lsp.Diagnostic:
    related = [
        lsp.DiagnosticRelatedInformation(lsp.Location(_uri(r.place.path), _range(document, r.place)), r.message)
        for r in item.related
    ]
    hint = f"\n{item.hint}" if item.hint else ""
    return lsp.Diagnostic(
        _range(document, item.place), f"{item.message}{hint}", _SEVERITY[item.severity], item.rule,
        source="hlspart", related_information=related or None,
    )  # fmt: skip


def _problem(document: Document) -> list[lsp.Diagnostic]:
    if document.problem is None:
        return []
    return [lsp.Diagnostic(_line(1), document.problem, lsp.DiagnosticSeverity.Error, source="hlspart")]


# ----------------------------------------------------------------------------------- places: lines from 0, UTF-16 units


def _range(document: Document, place: Place) -> lsp.Range:
    source = document.source(place.path)

    def position(line: int, column: int) -> lsp.Position:
        if source is None or line > source.text.count("\n") + 1:
            return lsp.Position(line - 1, column - 1)
        return lsp.Position(line - 1, _units(source.line_text(line)[: column - 1]))

    return lsp.Range(position(place.line, place.column), position(place.end_line, place.end_column))


def _position(source: SourceText, offset: int) -> lsp.Position:
    line, column = source.line_column(offset)
    return lsp.Position(line - 1, _units(source.line_text(line)[: column - 1]))


def _offset(source: SourceText, position: lsp.Position) -> int | None:
    if position.line > source.text.count("\n"):
        return None
    span, units = source.line_span(position.line + 1), 0
    for k, letter in enumerate(source.text[span.start : span.end]):
        if units >= position.character:
            return span.start + k
        units += _units(letter)
    return span.end


def _units(text: str) -> int:
    return len(text) + sum(ord(c) > 0xFFFF for c in text)


def _line(line: int) -> lsp.Range:
    return lsp.Range(lsp.Position(line - 1, 0), lsp.Position(line - 1, 0))


def _path(uri: str) -> str:
    return display_path(to_fs_path(uri) or uri)


def _uri(path: str) -> str:
    uri: Any = from_fs_path(os.path.abspath(path))
    return str(uri)
