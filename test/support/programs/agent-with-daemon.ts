import { spawn } from "node:child_process";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { repositoryRoot } from "../repository.js";

/** A daemon leaves by itself after this time, so that no test can leave one for good. */
const longestStayMs = 10 * 60_000;

// A scripted agent that has started a process in a session of its own, which no signal to the agent's group reaches.
const daemon = `process.on("SIGTERM", () => undefined); setTimeout(() => undefined, ${longestStayMs});`;
spawn(process.execPath, ["-e", daemon], { detached: true, stdio: "ignore" }).unref();

const agentMain = join(repositoryRoot, "core", "dist", "testing", "node", "agent-main.js");
await import(pathToFileURL(agentMain).href);
