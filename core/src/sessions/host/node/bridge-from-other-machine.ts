import { statSync } from "node:fs";
import type { Socket } from "node:net";
import { homedir } from "node:os";
import { join, resolve } from "node:path";
import type { Readable, Writable } from "node:stream";
import { openStdout } from "../../../base/node/non-blocking-stdout.js";
import { isCopiedProgram } from "./copied-program.js";
import { remoteClientVariable } from "../../../base/node/own-program.js";
import { productVersion } from "../../../base/node/product-version.js";
import { messageOf, SymposiumError } from "../../../base/symposium-error.js";
import { isDoneWithin } from "../../../base/until-aborted.js";
import {
  type BridgeLine,
  type BridgeRequest,
  type Hello,
  type HostLine,
  ownLine,
  readBridgeRequest,
} from "../host-wire.js";
import type { HostAddress } from "./host-address.js";
import { greet, withHost } from "./host-connection.js";

/** Maximum characters of the client's first line. */
const maxRequest = 1024 * 1024;
/** Milliseconds to deliver the last messages to a slow connection. */
const flushMs = 2_000;

/**
 * Connects a client on another machine, at stdin and stdout, with this user's host. Resolves with the exit code when either side ends.
 * `start` starts the host.
 */
export async function bridgeToHost(address: HostAddress, start: () => Promise<string>): Promise<number> {
  const output = openStdout();
  const say = (line: HostLine | BridgeLine): void => void output.write(`${ownLine}${JSON.stringify(line)}\n`);
  say({ kind: "bridge", version: productVersion, isCopy: isCopiedProgram() });
  const line = await firstLine(process.stdin);
  if (line === undefined) return 0;
  try {
    const hello = helloOf(readBridgeRequest(line), address.token);
    const code = await withHost(address, start, (socket) => joinStreams(socket, hello, process.stdin, output));
    await isDoneWithin(new Promise((done) => output.write("", done)), flushMs);
    return code;
  } catch (thrown) {
    say({ kind: "exit", code: 1, reason: messageOf(thrown) });
    await isDoneWithin(new Promise((done) => output.write("", done)), flushMs);
    return 1;
  }
}

function helloOf(request: BridgeRequest | undefined, token: string): Hello {
  if (!request) throw new SymposiumError("invalid-arguments", "The client's first line isn't valid.");
  if (request.kind !== "client") return { ...request, token };
  const { folder: text, words } = request;
  const folder = text === undefined ? undefined : existingFolder(text);
  const env = Object.entries(process.env).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  const remote = folder === undefined ? {} : { folder };
  return {
    kind: "client",
    token,
    words,
    cwd: folder ?? process.cwd(),
    env: { ...Object.fromEntries(env), [remoteClientVariable]: "1" },
    remote,
  };
}

function existingFolder(text: string): string {
  const path = text === "~" || text.startsWith("~/") ? join(homedir(), text.slice(1)) : resolve(text);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return path;
  throw new SymposiumError("invalid-arguments", `--folder: ${path} isn't a folder on that machine.`);
}

/** Reads one line and leaves the rest in the stream; undefined if the input ends before, or the line is too long. */
function firstLine(input: Readable): Promise<string | undefined> {
  return new Promise((resolve) => {
    let read = Buffer.alloc(0);
    const finish = (line: string | undefined): void => {
      input.off("data", take).off("end", end).off("error", end);
      resolve(line);
    };
    const end = (): void => finish(undefined);
    const take = (chunk: Buffer): void => {
      read = Buffer.concat([read, chunk]);
      const place = read.indexOf("\n");
      if (place === -1 && read.length <= maxRequest) return;
      input.pause();
      if (place !== -1) input.unshift(read.subarray(place + 1));
      finish(place === -1 ? undefined : read.subarray(0, place).toString());
    };
    input.on("data", take).on("end", end).on("error", end);
  });
}

/** Resolves with 0 when the connection has ended; with undefined if the host ended before it answered. */
function joinStreams(socket: Socket, hello: Hello, input: Readable, output: Writable): Promise<number | undefined> {
  return new Promise((resolve) => {
    let hasAnswered = false;
    socket.on("error", () => undefined);
    socket.on("close", () => resolve(hasAnswered ? 0 : undefined));
    output.on("error", () => socket.destroy());
    input.on("error", () => socket.destroy());
    socket.once("data", (chunk) => {
      hasAnswered = true;
      output.write(chunk);
      socket.pipe(output, { end: false });
      input.pipe(socket);
    });
    greet(socket, hello);
  });
}
