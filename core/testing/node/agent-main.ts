import process from "node:process";
import { parseArgs } from "node:util";
import { connectionOver } from "../memory-channel.js";
import { ScriptedAgent, type ScriptedAgentOptions } from "../scripted-agent.js";
import { ProcessFaults } from "./process-faults.js";
import { StdioChannel } from "./stdio-channel.js";

const { values } = parseArgs({
  args: process.argv.slice(2),
  options: {
    name: { type: "string" },
    "protocol-version": { type: "string" },
    "slow-start": { type: "string" },
    "die-at-initialize": { type: "string" },
    "never-answer": { type: "boolean" },
    "auth-required": { type: "boolean" },
    "no-http": { type: "boolean" },
    "acp-mcp": { type: "boolean" },
    steering: { type: "boolean" },
    "keeps-nothing": { type: "boolean" },
    "ignore-eof": { type: "boolean" },
    "ignore-sigterm": { type: "boolean" },
  },
});

const hasHttp = values["no-http"] !== true;
const channel = new StdioChannel();
const faults = new ProcessFaults(channel);
if (values["ignore-eof"] === true) faults.ignoreEndOfInput();
if (values["ignore-sigterm"] === true) faults.ignoreTermination();

const options: ScriptedAgentOptions = {
  faults,
  flow: channel,
  capabilities: {
    mcpCapabilities: { http: hasHttp, sse: hasHttp, ...(values["acp-mcp"] === true && { acp: true }) },
    ...(values["keeps-nothing"] === true && { loadSession: false, sessionCapabilities: {} }),
  },
  ...(values.name !== undefined && { name: values.name }),
  ...(values["protocol-version"] !== undefined && { protocolVersion: Number(values["protocol-version"]) }),
  ...(values["slow-start"] !== undefined && { slowStartMs: Number(values["slow-start"]) }),
  ...(values["die-at-initialize"] !== undefined && { diesAtInitialize: Number(values["die-at-initialize"]) }),
  neverAnswersInitialize: values["never-answer"] === true,
  takesSteering: values.steering === true,
  authRequired: values["auth-required"] === true,
};

connectionOver(channel, (client) => new ScriptedAgent(options).connect(client).fromClient, {
  onEnd: () => faults.exit(0),
});
