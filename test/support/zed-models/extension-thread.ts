// The thread that Zed runs an extension in: its calls of Zed wait, while Zed goes on.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { CallOutcome, ExtensionCall, ExtensionThread, HostCall, ZedHttpRequest } from "./host-calls.js";

const { folder, shim, port, answered } = workerData as ExtensionThread;
const answerIsThere = new Int32Array(answered);

/** The error of a WIT result, as jco wants it thrown. */
class ResultError extends Error {
  constructor(readonly payload: string) {
    super(payload);
  }
}

function askZed(name: string, ...args: readonly unknown[]): unknown {
  const call: HostCall = { name, args };
  port.postMessage(call);
  Atomics.wait(answerIsThere, 0, 0);
  Atomics.store(answerIsThere, 0, 0);
  const outcome = receiveMessageOnPort(port)?.message as CallOutcome;
  if ("failure" in outcome) throw new ResultError(outcome.failure);
  return outcome.value;
}

class HttpResponseStream {
  constructor(private readonly id: unknown) {}

  nextChunk(): unknown {
    return askZed("nextChunk", this.id);
  }

  [Symbol.dispose](): void {
    askZed("hangUp", this.id);
  }
}

const imported = (name: string): object => ({ default: (...args: readonly unknown[]) => askZed(name, ...args) });
const { WASIShim } = (await import(shim)) as { WASIShim: new () => { getImportObject(): object } };
const { instantiate } = (await import(pathToFileURL(join(folder, "extension.js")).href)) as {
  instantiate: (
    load: (path: string) => Promise<unknown>,
    imports: object,
  ) => Promise<Readonly<Record<string, (...args: readonly unknown[]) => unknown>>>;
};
const { compile } = Reflect.get(globalThis, "WebAssembly") as { compile: (bytes: Uint8Array) => Promise<unknown> };
const extension = await instantiate(async (path) => compile(await readFile(join(folder, path))), {
  ...new WASIShim().getImportObject(),
  // Resources that no call of a language model reaches.
  project: { default: Object },
  worktree: { default: Object },
  "key-value-store": { default: Object },
  "llm-request-credential": imported("requestCredential"),
  "llm-get-credential": imported("getCredential"),
  "llm-store-credential": imported("storeCredential"),
  "llm-delete-credential": imported("deleteCredential"),
  "llm-get-env-var": imported("getEnvVar"),
  "zed:extension/http-client": {
    HttpResponseStream,
    fetchStream: (request: ZedHttpRequest) => new HttpResponseStream(askZed("fetchStream", request)),
  },
});
extension["initExtension"]?.();

parentPort?.on("message", ({ id, name, args }: ExtensionCall) => {
  let outcome: CallOutcome;
  try {
    outcome = { value: extension[name]?.(...args) };
  } catch (failure) {
    outcome = { failure: failureOf(failure) };
  }
  parentPort?.postMessage({ id, ...outcome });
});
parentPort?.postMessage({ id: 0, value: undefined });

function failureOf(failure: unknown): string {
  const payload = typeof failure === "object" && failure !== null && "payload" in failure ? failure.payload : failure;
  return payload instanceof Error ? (payload.stack ?? payload.message) : String(payload);
}
