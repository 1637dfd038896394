import process from "node:process";
import { parseArgs } from "node:util";
import { defaultMaxLineBytes } from "../../src/base/line-splitter.js";
import { pingServer } from "../ping-server.js";
import { wireDialects, type WireDialectName } from "../wire-dialect.js";
import { WireProxy } from "../wire-proxy.js";
import { ProcessFaults } from "./process-faults.js";
import { StdioChannel } from "./stdio-channel.js";

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    dialect: { type: "string", default: "current" },
    name: { type: "string" },
    mcp: { type: "string" },
    shout: { type: "boolean" },
    "crash-on": { type: "string" },
    "stop-reading": { type: "boolean" },
    "ignore-eof": { type: "boolean" },
    "ignore-sigterm": { type: "boolean" },
  },
});

function isDialect(name: string): name is WireDialectName {
  return Object.hasOwn(wireDialects, name);
}

if (!isDialect(values.dialect)) {
  process.stderr.write(`unknown dialect "${values.dialect}"; known: ${Object.keys(wireDialects).join(", ")}\n`);
  process.exit(2);
}

const channel = new StdioChannel();
const faults = new ProcessFaults(channel);
if (values["ignore-eof"] === true) faults.ignoreEndOfInput();
if (values["ignore-sigterm"] === true) faults.ignoreTermination();

const proxy = new WireProxy({
  dialect: wireDialects[values.dialect],
  send: (line) => channel.send(line),
  faults,
  shouts: values.shout === true,
  stopsReading: values["stop-reading"] === true,
  ...(values.name !== undefined && { name: values.name }),
  ...(values.mcp !== undefined && { mcpServer: pingServer(values.mcp) }),
  ...(values["crash-on"] !== undefined && { crashesOn: values["crash-on"] }),
});

channel.start({
  line: (line) => proxy.receive(line),
  oversize: (line) => proxy.receiveOversize(line, defaultMaxLineBytes),
  end: () => faults.exit(0),
});
channel.onCongestion(() => (channel.isCongested ? channel.pause() : channel.resume()));
