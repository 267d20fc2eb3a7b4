"""A headless Chromium, spoken to over the DevTools protocol."""

import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp

__all__ = ["Browser", "Tab", "browser", "visit_page"]

# What a key does by itself (move the focus, press a button, choose an option) hangs on these.
VIRTUAL_KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, " ": 32, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36}
VIRTUAL_KEYS |= {"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}
STARTS_S = 120.0
ANSWERS_S = 60.0


class Tab:
    """One page.

    Attributes:
        requested: every URL that the page asked for and was not refused by its own policy.
        refused: those that were.
        errors: exceptions and console errors of the page.
    """

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._seen: list[str] = []
        self.requested: list[str] = []
        self.refused: list[str] = []
        self._urls: dict[str, str] = {}
        self.errors: list[str] = []
        self._reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        async for message in self._socket:
            event = json.loads(message.data)
            if "id" in event:
                self._waiting.pop(event["id"]).set_result(event)
                continue
            self._seen.append(event["method"])
            if event["method"] == "Network.requestWillBeSent":
                url = self._urls[event["params"]["requestId"]] = event["params"]["request"]["url"]
                self.requested.append(url)
            if event["method"] == "Network.loadingFailed" and event["params"].get("blockedReason") == "csp":
                url = self._urls[event["params"]["requestId"]]
                self.requested.remove(url)
                self.refused.append(url)
            if event["method"] in ("Runtime.exceptionThrown", "Log.entryAdded"):
                self.errors.append(json.dumps(event["params"]))

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        """One command and its result."""
        self._number += 1
        answer = self._waiting[self._number] = asyncio.get_running_loop().create_future()
        await self._socket.send_str(json.dumps({"id": self._number, "method": method, "params": params}))
        event = await asyncio.wait_for(answer, ANSWERS_S)
        if "error" in event:
            raise AssertionError(f"{method}: {event['error']}")
        return event["result"]

    async def open(self, path: Path) -> None:
        """Load a file and wait until it is there."""
        self._seen.clear()
        await self.call("Page.navigate", url=path.resolve().as_uri())
        await self.until(lambda: "Page.loadEventFired" in self._seen)

    async def until(self, holds: Any) -> None:
        """Wait for a condition."""
        async with asyncio.timeout(ANSWERS_S):
            while not holds():
                await asyncio.sleep(0.02)

    async def value(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        result = await self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    async def text(self, selector: str) -> str:
        """The text of an element."""
        return str(await self.value(f"document.querySelector({json.dumps(selector)}).textContent"))

    async def press(self, key: str, *, code: str = "", shift: bool = False) -> None:
        """Press and release a key, as the keyboard does; a single character is also typed."""
        known: dict[str, Any] = {
            "key": key,
            "code": code or (f"Key{key.upper()}" if key.isalpha() and len(key) == 1 else ""),
        }
        typed = {"text": "\r" if key == "Enter" else key} if len(key) == 1 or key == "Enter" else {}
        if key in VIRTUAL_KEYS:
            known["windowsVirtualKeyCode"] = VIRTUAL_KEYS[key]
        modifiers = 8 if shift else 0
        await self.call("Input.dispatchKeyEvent", type="keyDown", modifiers=modifiers, **known, **typed)
        await self.call("Input.dispatchKeyEvent", type="keyUp", modifiers=modifiers, **known)

    async def theme(self, name: str) -> None:
        """What the system prefers: ``light`` or ``dark``."""
        await self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    async def holds(self, expression: str) -> None:
        """Wait until a JavaScript expression is true."""
        async with asyncio.timeout(ANSWERS_S):
            while not await self.value(f"Boolean({expression})"):
                await asyncio.sleep(0.02)

    async def choose_file(self, selector: str, path: Path) -> None:
        """Give a file to a file input, as the file dialogue does."""
        root = (await self.call("DOM.getDocument"))["root"]["nodeId"]
        node = (await self.call("DOM.querySelector", nodeId=root, selector=selector))["nodeId"]
        await self.call("DOM.setFileInputFiles", nodeId=node, files=[str(path.resolve())])

    async def close(self) -> None:
        """Hang up."""
        await self._socket.close()
        self._reader.cancel()


class Browser:
    """A running browser.

    Args:
        session: HTTP session to it.
        port: of its DevTools.
        downloads: folder that it saves files to.
    """

    def __init__(self, session: aiohttp.ClientSession, port: int, downloads: Path) -> None:
        self._session = session
        self._port = port
        self.downloads = downloads

    @contextlib.asynccontextmanager
    async def tab(self) -> AsyncIterator[Tab]:
        """A fresh page that is offline."""
        async with self._session.put(f"http://127.0.0.1:{self._port}/json/new?about:blank") as answer:
            target = await answer.json()
        async with self._session.ws_connect(target["webSocketDebuggerUrl"], max_msg_size=2**26) as socket:
            tab = Tab(socket)
            for domain in ("Page", "Runtime", "Network", "Log", "DOM"):
                await tab.call(f"{domain}.enable")
            await tab.call(
                "Network.emulateNetworkConditions", offline=True, latency=0, downloadThroughput=0, uploadThroughput=0
            )
            await tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(self.downloads))
            yield tab
            await tab.close()


@contextlib.asynccontextmanager
async def browser(folder: Path) -> AsyncIterator[Browser]:
    """Chromium with a profile of its own, gone after the block.

    Raises:
        AssertionError: there is no Chromium (Debian's package ``chromium``), or it does not start.
    """
    program = shutil.which("chromium") or shutil.which("chromium-browser")
    assert program, "no chromium on the PATH: install Debian's package chromium"
    downloads, profile = folder / "downloads", folder / "profile"
    downloads.mkdir()
    profile.mkdir()
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run"]
    command = [program, *options, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
    with (folder / "chromium.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
    try:
        port_file = profile / "DevToolsActivePort"
        async with asyncio.timeout(STARTS_S):
            while not (port_file.exists() and port_file.read_text().strip()):
                assert process.poll() is None, (folder / "chromium.log").read_text(errors="replace")[-2000:]
                await asyncio.sleep(0.05)
        port = int(port_file.read_text().split()[0])
        async with aiohttp.ClientSession() as session:
            yield Browser(session, port, downloads)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def visit_page(page: Path, visit: Callable[[Browser, Tab], Awaitable[None]]) -> None:
    """Open a file and run a visit to it; the page must ask for nothing but itself and raise nothing."""

    async def run() -> None:
        async with browser(page.parent) as chromium, chromium.tab() as tab:
            await tab.open(page)
            await visit(chromium, tab)
            assert not tab.errors
            assert all(url.startswith(("file:", "blob:", "about:")) for url in tab.requested), tab.requested
            assert tab.requested[0] == page.resolve().as_uri()

    asyncio.run(run())
