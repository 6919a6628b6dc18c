"""A headless Chromium, driven by the DevTools protocol over two pipes: no driver, no port, no package.

    with Browser() as page:
        page.open(path_of_a_file)
        page.value("document.title")

Invariant: nothing of the user's profile is read, and the process ends with the block.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"]
PHONE = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
DESK = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}


def program():
    """The browser of this machine, or None."""
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, NAMES)), None)


class Trouble(Exception):
    """What the browser refused, or did not answer in time."""


class Browser:
    """One page of one process. `requested` has the addresses that it asked for, `said` its errors and exceptions."""

    def __init__(self, patience=60):
        self.patience, self.number, self.buffer = patience, 0, b""
        self.requested, self.said = [], []

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="check-site-", ignore_cleanup_errors=True)
        read_by_it, self.to = os.pipe()
        self.source, written_by_it = os.pipe()
        # Chromium reads descriptor 3 and writes 4, which a shell puts there: preexec_fn would take a fork
        command = [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                   "--no-first-run", "--remote-debugging-pipe", f"--user-data-dir={self.folder.name}",
                   "--disable-background-networking", "--hide-scrollbars", "--force-color-profile=srgb", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{read_by_it} 4>&{written_by_it}; exec "$@"', "bash", *command],
            pass_fds=(read_by_it, written_by_it), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "HOME": self.folder.name})
        os.close(read_by_it)
        os.close(written_by_it)
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Runtime", "Log"):
            self.call(f"{domain}.enable")
        self.screen(DESK)
        return self

    def __exit__(self, *_):
        try:
            self.session = None
            self.call("Browser.close")
        except (Trouble, OSError):
            pass
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.to)
        os.close(self.source)
        self.folder.cleanup()

    def receive(self, until):
        """The next message; what Chromium tells unasked is written down."""
        while b"\0" not in self.buffer:
            ready, _, _ = select.select([self.source], [], [], max(until - time.monotonic(), 0))
            read = os.read(self.source, 1 << 20) if ready else b""
            if not read:
                raise Trouble("Chromium ended" if ready else f"no answer of Chromium in {self.patience} s")
            self.buffer += read
        text, _, self.buffer = self.buffer.partition(b"\0")
        message = json.loads(text)
        method, about = message.get("method"), message.get("params", {})
        if method == "Network.requestWillBeSent":
            self.requested.append(about["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.said.append(about["exceptionDetails"].get("exception", {}).get("description", "an exception"))
        elif method == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.said.append(f"{about['entry']['text']} {about['entry'].get('url', '')}".strip())
        return message

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        until = time.monotonic() + self.patience
        while True:
            answer = self.receive(until)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise Trouble(f"{method}: {answer['error']['message']}")
                return answer["result"]

    def screen(self, size):
        self.call("Emulation.setDeviceMetricsOverride", **size)

    def open(self, path, anchor=""):
        """Opens a file and waits until it is loaded."""
        address = pathlib.Path(path).resolve().as_uri() + anchor
        answer = self.call("Page.navigate", url=address)
        if answer.get("errorText"):
            raise Trouble(f"{address}: {answer['errorText']}")
        if not self.until(f"location.href === {json.dumps(address)} && document.readyState === 'complete'"):
            raise Trouble(f"{address} is not loaded")

    def value(self, expression):
        """What a JavaScript expression is, as JSON has it."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise Trouble(f"{expression}: {answer['exceptionDetails']['exception'].get('description')}")
        return answer["result"].get("value")

    def until(self, expression, patience=30):
        """Waits until an expression is true; whether it became so."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            try:
                if self.value(expression):
                    return True
            except Trouble:  # between two pages
                pass
            time.sleep(0.01)
        return False

    def click(self, selector):
        """A press of the mouse in the middle of the first element that the selector finds."""
        x, y = self.value(f"(e => {{ e.scrollIntoView({{block: 'center'}}); const r = e.getBoundingClientRect(); "
                          f"return [r.x + r.width / 2, r.y + r.height / 2]; }})"
                          f"(document.querySelector({json.dumps(selector)}))")
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def type(self, text):
        """Keys, into the element that has the focus."""
        for letter in text:
            self.call("Input.dispatchKeyEvent", type="keyDown", text=letter, key=letter)
            self.call("Input.dispatchKeyEvent", type="keyUp", key=letter)

    def press(self, key):
        code = {"Enter": 13, "ArrowDown": 40, "Escape": 27, "Tab": 9}[key]
        text = {"text": "\r"} if key == "Enter" else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, windowsVirtualKeyCode=code, **text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key, windowsVirtualKeyCode=code)

    def picture(self, path):
        """A screenshot as a PNG file."""
        shot = self.call("Page.captureScreenshot", format="png")
        pathlib.Path(path).write_bytes(base64.b64decode(shot["data"]))
