// node trace_processor.js <package> <trace> [<query>...]: loads a trace into
// Perfetto's trace processor and prints what each query finds: a JSON array of
// rows, on a line. <package> is the folder of Perfetto's UI, which
// runs the processor (WebAssembly) in a worker; this stands for the worker's
// other end.
"use strict";
const fs = require("fs");
const path = require("path");

const [folder, trace, ...queries] = process.argv.slice(2);
// TraceProcessorRpc, QueryArgs, QueryResult of perfetto's
// protos/perfetto/trace_processor/trace_processor.proto.
const Method = { append: 1, finalize: 2, query: 3 };
const Rpc = {
  seq: 1, fatalError: 5, request: 2, appendTraceData: 101, queryArgs: 103,
  appendResult: 201, queryResult: 203,
};
const Cell = { null: 1, varint: 2, float64: 3, string: 4, blob: 5 };

function varint(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 128))
    bytes.push((value % 128) | 0x80);
  return Buffer.from([...bytes, value]);
}
const number = (field, value) =>
  Buffer.concat([varint(field * 8), varint(value)]);
const bytes = (field, value) =>
  Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);

function readVarint(data, at) {
  let value = 0n;
  for (let shift = 0n; ; shift += 7n) {
    const byte = data[at++];
    value |= BigInt(byte & 0x7f) << shift;
    if (byte < 0x80)
      return [BigInt.asIntN(64, value), at];
  }
}
function* fields(data) {
  for (let at = 0; at < data.length;) {
    let key, value;
    [key, at] = readVarint(data, at);
    const field = Number(key >> 3n), wire = Number(key & 7n);
    if (wire === 0) {
      [value, at] = readVarint(data, at);
    } else if (wire === 2) {
      let size;
      [size, at] = readVarint(data, at);
      value = data.subarray(at, (at += Number(size)));
    } else {
      throw new Error("wire type " + wire);
    }
    yield [field, value];
  }
}

/** The rows of one CellsBatch; the format is told in trace_processor.proto. */
function rowsOf(batch, columns) {
  const cells = [], varints = [], floats = [];
  let strings = [];
  for (const [field, value] of fields(batch)) {
    if (field === 1)
      cells.push(...value);
    else if (field === 2)
      for (let at = 0, v; at < value.length; varints.push(Number(v)))
        [v, at] = readVarint(value, at);
    else if (field === 3)
      for (let at = 0; at < value.length; at += 8)
        floats.push(value.readDoubleLE(at));
    else if (field === 5)
      strings = value.toString().split("\0");
  }
  const rows = [];
  let varintAt = 0, floatAt = 0, stringAt = 0;
  cells.forEach((cell, k) => {
    if (k % columns === 0)
      rows.push([]);
    rows.at(-1).push(cell === Cell.varint ? varints[varintAt++]
      : cell === Cell.float64 ? floats[floatAt++]
      : cell === Cell.string ? strings[stringAt++] : null);
  });
  return rows;
}

async function start() {
  const worker = {}, bundle = path.join(folder, "engine_bundle.js");
  process.chdir(folder);
  new Function("self", "require", "__dirname", "__filename",
    fs.readFileSync(bundle, "utf8"))(worker, require, folder, bundle);
  // Its module has been compiled; what is left to do are promises.
  await new Promise(setImmediate);
  let answers = [], seq = 0;
  const port = {
    postMessage(data) {
      for (const [, message] of fields(Buffer.from(data)))
        for (const [field, value] of fields(message)) {
          if (field === Rpc.fatalError)
            throw new Error(value.toString());
          if (field === Rpc.appendResult || field === Rpc.queryResult)
            answers.push(value);
        }
    },
  };
  worker.onmessage({ data: { enginePort: port } });
  return (method, argument = Buffer.alloc(0)) => {
    answers = [];
    port.onmessage({
      data: new Uint8Array(bytes(1, Buffer.concat(
        [number(Rpc.seq, ++seq), number(Rpc.request, method), argument]))),
    });
    return answers;
  };
}

async function main() {
  const file = fs.readFileSync(trace);
  const call = await start();
  const chunk = 32 << 20;
  for (let at = 0; at < file.length; at += chunk)
    for (const answer of call(Method.append,
      bytes(Rpc.appendTraceData, file.subarray(at, at + chunk))))
      for (const [field, value] of fields(answer))
        if (field === 2)
          throw new Error(value.toString());
  call(Method.finalize);
  for (const query of queries) {
    const rows = [];
    let columns = 0;
    const answers = call(Method.query,
      bytes(Rpc.queryArgs, bytes(1, Buffer.from(query))));
    for (const [field, value] of answers.flatMap((a) => [...fields(a)])) {
      if (field === 1)
        ++columns;
      else if (field === 2)
        throw new Error(value.toString());
      else if (field === 3)
        for (const row of rowsOf(value, columns))
          rows.push(row);
    }
    console.log(JSON.stringify(rows));
  }
}

main().catch((error) => {
  console.error(String(error));
  process.exit(1);
});
