// The page of `rewind view` in a panel: its files, and the messages to its server.

export interface Address {
  url: string;
  /** "127.0.0.1:4711" */
  host: string;
  /** Behind the #: the token, and what is shown. */
  fragment: string;
}

/** The address in what `rewind view --json` says; the stop hook may speak, too. */
export function addressIn(said: string): Address {
  const url = /"url": *"([^"]+)"/.exec(said)?.[1];
  const parts = /^http:\/\/([^/]+)\/#(.*)$/.exec(url ?? "");
  if (!url || !parts) throw new Error(`rewind view told no address: ${said}`);
  return { url, host: parts[1]!, fragment: parts[2]! };
}

/** In the panel: connections of the page go through the extension. */
function bridge(address: Address): void {
  interface Told {
    socket: number;
    open?: true;
    text?: string;
    closed?: number;
  }
  const { acquireVsCodeApi } = globalThis as unknown as { acquireVsCodeApi: () => { postMessage(what: object): void } };
  const code = acquireVsCodeApi();
  class Socket {
    static readonly all = new Map<number, Socket>();
    static last = 0;
    private readonly socket = ++Socket.last;
    onopen?: () => void;
    onmessage?: (message: { data: string }) => void;
    onclose?: (event: { code: number }) => void;
    constructor() {
      Socket.all.set(this.socket, this);
      code.postMessage({ socket: this.socket, open: true });
    }
    send(text: string): void {
      code.postMessage({ socket: this.socket, text });
    }
    close(): void {
      code.postMessage({ socket: this.socket, close: true });
    }
  }
  const page = globalThis as unknown as {
    WebSocket: unknown;
    rewindOrigin: string;
    history: { replaceState(state: null, title: string, url: string): void };
    addEventListener(what: "message", then: (event: { data: Told }) => void): void;
  };
  page.addEventListener("message", ({ data }) => {
    const socket = Socket.all.get(data.socket);
    if (data.open) socket?.onopen?.();
    if (data.text !== undefined) socket?.onmessage?.({ data: data.text });
    if (data.closed === undefined) return;
    Socket.all.delete(data.socket);
    socket?.onclose?.({ code: data.closed });
  });
  page.WebSocket = Socket;
  page.rewindOrigin = `http://${address.host}`;
  page.history.replaceState(null, "", `#${address.fragment}`);
}

/** Text of a script as part of a document. */
const within = (script: string): string => script.replace(/<(?=\/script|!--|script)/gi, "\\x3c");

/** The document of the panel. Nothing in it may fetch anything. */
export function inPanel({ style, script }: { style: string; script: string }, address: Address, nonce: string): string {
  const policy = `default-src 'none'; img-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="color-scheme" content="light dark">
<title>Rewind</title>
<style nonce="${nonce}">${style.replace(/<\/style/gi, "<\\/style")}</style>
<script nonce="${nonce}">(${within(bridge.toString())})(${within(JSON.stringify(address))})</script>
<script type="module" nonce="${nonce}">${within(script)}</script>
</head>
<body>
<div id="page"><p class="notice">Loading…</p></div>
</body>
</html>
`;
}
