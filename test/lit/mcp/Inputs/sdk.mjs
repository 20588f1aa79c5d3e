// The official SDK's client: sdk.mjs <node_modules> <rewind> <trace> <image> <index>
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
const [modules, rewind, trace, image, index] = process.argv.slice(2);
const load = (name) =>
  import(pathToFileURL(createRequire(modules + "/x.js").resolve("@modelcontextprotocol/sdk/" + name)));
const { Client } = await load("client/index.js");
const { StdioClientTransport } = await load("client/stdio.js");
const client = new Client({ name: "test", version: "1" });
await client.connect(
  new StdioClientTransport({ command: rewind, args: ["mcp", trace, "-i", image, "--index", index, "-q"] }));
const { tools } = await client.listTools();
console.log("tools:", tools.length);
const info = await client.callTool({ name: "info", arguments: {} });
console.log("info:", info.content[0].text.split("\n")[1].trim());
const where = await client.callTool({ name: "where", arguments: { arguments: ["#100"], json: true } });
console.log("where:", where.structuredContent.position);
const rows = [];
for (let page = 1; page; ) {
  const { structuredContent } = await client.callTool({ name: "list", arguments: { arguments: ["#0"], count: 2000, json: true, page } });
  rows.push(...structuredContent.items.map((row) => row.position));
  page = structuredContent.next_page;
}
console.log("pages:", rows.length, rows.every((position, i) => position === i));
const wrong = await client.callTool({ name: "where", arguments: { arguments: ["nonsense"] } });
console.log("error:", wrong.isError);
try {
  await client.callTool({ name: "nonsense", arguments: {} });
} catch (e) {
  console.log("refused:", e.code);
}
await client.close();
