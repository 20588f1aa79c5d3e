// A real VS Code (code-server) in a real browser, as a user sees it; and what it
// says to the debug adapter.
import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
export const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

export async function until(what, condition, seconds = 30) {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`not within ${seconds} s: ${what}`);
    await sleep(30);
  }
}

async function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

export class Workbench {
  /** setup: packages, vsix, rewind, plugin, folder (for all that it writes), and
   * large, a trace, with its program. */
  constructor(setup) {
    this.setup = setup;
    this.workspace = join(setup.folder, "workspace");
    this.log = join(setup.folder, "dap.log");
    this.seen = 0;
  }

  async start(settings = {}) {
    const { packages, vsix, rewind, plugin, folder } = this.setup;
    const node = join(packages, "node/bin/node");
    const server = [join(packages, "server/node_modules/.bin/code-server")];
    const user = join(folder, "user");
    const common = ["--config", join(folder, "config.yaml"), "--user-data-dir", user, "--extensions-dir", join(folder, "extensions")];
    for (const one of [this.workspace, join(user, "User"), join(user, "Machine")]) mkdirSync(one, { recursive: true });
    writeFileSync(join(folder, "config.yaml"), "auth: none\n");
    // `rewind.path` is a program: this one listens to what is said.
    const path = join(folder, "rewind");
    const listener = [process.execPath, join(here, "listen.mjs"), rewind].map((word) => `'${word}'`).join(" ");
    writeFileSync(path, `#!/bin/sh\nDAP_LOG='${this.log}' exec ${listener} "$@"\n`, { mode: 0o755 });
    // The official extension gives its adapter no arguments.
    this.script = join(folder, "lldb-dap");
    writeFileSync(this.script, `#!/bin/sh\nexec '${path}' dap --plugin '${plugin}' --no-lldbinit "$@"\n`, { mode: 0o755 });
    // What runs on the machine of the server is set there.
    writeFileSync(
      join(user, "Machine/settings.json"),
      JSON.stringify({ "rewind.path": path, "rewind.adapterArguments": ["--plugin", plugin, "--no-lldbinit"] }),
    );
    writeFileSync(
      join(user, "User/settings.json"),
      JSON.stringify({
        "chat.disableAIFeatures": true,
        "workbench.startupEditor": "none",
        "workbench.tips.enabled": false,
        "telemetry.telemetryLevel": "off",
        "extensions.autoCheckUpdates": false,
        "extensions.ignoreRecommendations": true,
        "git.enabled": false,
        "editor.minimap.enabled": false,
        "workbench.secondarySideBar.defaultVisibility": "hidden",
        ...settings,
      }),
    );
    const environment = { ...process.env, PATH: `${dirname(node)}:${process.env.PATH}` };
    for (const one of [vsix, this.officialExtension()]) {
      const install = spawn(node, [...server, ...common, "--install-extension", one], { env: environment, stdio: ["ignore", "pipe", "pipe"] });
      let said = "";
      for (const stream of [install.stdout, install.stderr]) stream.on("data", (piece) => (said += piece));
      await new Promise((done) => install.on("exit", done));
      if (!/successfully installed/.test(said)) throw new Error("the extension was not installed: " + said);
    }
    const port = await freePort();
    this.server = spawn(
      node,
      [...server, ...common, "--auth", "none", "--bind-addr", `127.0.0.1:${port}`, "--disable-telemetry", "--disable-update-check", "--disable-workspace-trust", this.workspace],
      // A group of its own: it has many children.
      { env: environment, stdio: ["ignore", "ignore", "ignore"], detached: true },
    );
    process.on("exit", () => this.kill());
    const { chromium } = createRequire(join(packages, "x.js"))("playwright-core");
    this.browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
    this.page = await this.browser.newPage({ viewport: { width: 1500, height: 1400 } });
    await until("code-server answers", () => fetch(`http://127.0.0.1:${port}/healthz`).then((answer) => answer.ok, () => false), 60);
    await this.page.goto(`http://127.0.0.1:${port}/?folder=${this.workspace}`, { timeout: 90000 });
    await this.page.waitForSelector(".monaco-workbench .statusbar", { timeout: 90000 });
    this.page.setDefaultTimeout(10000);
  }

  /** A package of the one that stands for it. */
  officialExtension() {
    const { packages, folder } = this.setup;
    const to = join(folder, "official");
    cpSync(join(here, "official"), to, { recursive: true });
    const environment = { ...process.env, PATH: `${join(packages, "node/bin")}:${process.env.PATH}` };
    const words = ["package", "--no-dependencies", "--allow-missing-repository", "--skip-license", "-o", "official.vsix"];
    writeFileSync(join(to, "README.md"), "For tests.\n");
    execFileSync(join(packages, "node_modules/.bin/vsce"), words, { cwd: to, env: environment, stdio: ["ignore", "pipe", "pipe"] });
    return join(to, "official.vsix");
  }

  kill() {
    try {
      process.kill(-this.server.pid, "SIGKILL");
    } catch {
      // it has ended
    }
  }

  async stop() {
    await this.browser?.close();
    this.kill();
  }

  launchConfigurations(configurations) {
    mkdirSync(join(this.workspace, ".vscode"), { recursive: true });
    writeFileSync(join(this.workspace, ".vscode/launch.json"), JSON.stringify({ version: "0.2.0", configurations }, null, 2));
  }

  // What is said to the adapter -------------------------------------------------

  /** All messages so far. */
  messages() {
    if (!existsSync(this.log)) return [];
    const text = readFileSync(this.log, "utf8");
    return text.slice(0, text.lastIndexOf("\n") + 1).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  }

  events(name) {
    return this.messages().filter(({ message }) => message?.type === "event" && message.event === name);
  }

  /** Where it stands. */
  last() {
    return this.events("rewind/position").at(-1).message.body;
  }

  /** Does something that ends in so many stops; tells why, and where each was. */
  async stops(action, number = 1, seconds = 30) {
    const before = [this.events("stopped").length, this.events("rewind/position").length];
    await action();
    await until(`${number} stops`, () => this.events("rewind/position").length >= before[1] + number, seconds);
    const reasons = this.events("stopped").slice(before[0]).map(({ message }) => message.body);
    const places = this.events("rewind/position").slice(before[1]).map(({ message }) => message.body);
    return places.map((place, index) => ({ ...place, reason: reasons[index]?.reason, text: reasons[index]?.description, thread: reasons[index]?.threadId }));
  }

  async stopOf(action, seconds) {
    return (await this.stops(action, 1, seconds))[0];
  }

  // What a user does --------------------------------------------------------------

  async key(keys) {
    await this.page.keyboard.press(keys);
  }

  /** Types into the box that keys open, or that is to open by itself. The box of the
   * last command may still be about to close, and take this one along. */
  async fill(text, keys) {
    const box = this.page.locator(".quick-input-widget:visible input.input");
    await until(`the box takes ${text}`, async () => {
      if (keys && !(await box.count())) await this.key(keys);
      await box.fill(text, { timeout: 1000 }).catch(() => {});
      await sleep(150);
      return (await box.inputValue({ timeout: 500 }).catch(() => "")) === text;
    });
  }

  /** A command of the palette, by its title. */
  async command(title) {
    await this.fill(">" + title, "F1");
    const titled = { has: this.page.getByText(title, { exact: true }) };
    await this.page.locator(".quick-input-list .monaco-list-row", titled).first().click();
  }

  /** What the box that asks for something gets. */
  async answer(text) {
    await this.fill(text);
    await this.key("Enter");
  }

  toolbar(title) {
    return this.page.locator(`.debug-toolbar .action-label[aria-label^="${title}"]`).first();
  }

  /** How many frames the workbench was given since the last stop. */
  async depth() {
    return until("the whole stack", () => {
      const said = this.messages().map(({ message }) => message).filter(Boolean);
      const stop = said.findLastIndex((one) => one.event === "stopped");
      const asked = said.slice(stop).filter((one) => one.type === "request" && one.command === "stackTrace" && (one.arguments.levels ?? 20) > 1);
      const answers = asked.map((one) => said.find((other) => other.type === "response" && other.request_seq === one.seq));
      if (answers.includes(undefined)) return 0;
      // Some are cancelled as others come.
      const frames = answers.map((answer) => (answer.success ? answer.body.stackFrames.length : 0));
      return Math.max(0, ...asked.map((one, i) => frames[i] && (one.arguments.startFrame ?? 0) + frames[i]));
    });
  }

  /** The stack as it is shown: names of functions, innermost first. */
  async stack() {
    const labels = await this.page.locator(".debug-call-stack .stack-frame .label").allTextContents();
    return labels.map((label) => label.trim());
  }

  /** Texts of notifications, dialogs, and of the box of an exception. */
  async complaints() {
    const toasts = await this.page.locator(".notification-toast .notification-list-item-message").allTextContents();
    const boxes = await this.page.locator(".exception-widget, .monaco-dialog-box").allTextContents();
    return [...toasts, ...boxes];
  }

  async open(file) {
    await this.fill(join(this.workspace, file), "Control+p");
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: file }).first().click();
    await this.page.locator(`.tab[data-resource-name="${file}"]`).waitFor();
  }

  async goToLine(file, line, column = 1) {
    if (!(await this.page.locator(`.tab.active[data-resource-name="${file}"]`).count())) await this.open(file);
    await this.page.locator(`.editor-instance .monaco-editor`).first().click({ position: { x: 300, y: 5 } });
    await this.fill(`:${line}:${column}`, "Control+g");
    await this.key("Enter");
    await until(`line ${line}`, async () => (await this.page.locator(".statusbar-item", { hasText: `Ln ${line}, ` }).count()) > 0, 10);
  }

  /** Types into an editor that has opened in the other one. */
  async type(selector, text) {
    await this.page.locator(`${selector} .monaco-editor`).waitFor();
    await this.page.locator(`${selector} .monaco-editor`).click();
    await this.page.keyboard.type(text);
    await this.key("Enter");
  }

  async addWatch(expression) {
    await this.command("Debug: Focus on Watch View");
    await this.page.locator(".pane-header", { hasText: "Watch" }).hover();
    await this.page.locator(".pane-header .action-label[aria-label='Add Expression']").click();
    await this.page.locator(".debug-watch input").waitFor();
    await this.page.keyboard.type(expression + "\n");
    await this.variable(".debug-watch", expression).waitFor();
  }

  /** A row of Variables or Watch. */
  variable(view, name) {
    return this.page.locator(`${view} .monaco-list-row`, { has: this.page.locator(".name", { hasText: new RegExp(`^\\s*${name.replace(/[^\w]/g, "\\$&")}\\s*[:=]?`) }) }).first();
  }

  async contextMenu(target, entry) {
    await target.click({ button: "right" });
    const item = this.page.locator(".monaco-menu .action-label", { hasText: new RegExp(`^${entry}`) }).first();
    await item.waitFor();
    // A click that follows the one that opened the menu at once is taken for its end.
    await until(`${entry} is done`, async () => {
      await sleep(300);
      if (await item.isVisible()) await item.click();
      return !(await item.isVisible());
    });
  }

  childrenOf(pid) {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
  }

  alive(pid) {
    try {
      return !/^State:\tZ/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
    } catch {
      return false;
    }
  }

  async screenshot(name) {
    await this.page.screenshot({ path: join(this.setup.folder, `${name}.png`) });
  }
}
