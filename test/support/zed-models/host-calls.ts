import type { MessagePort } from "node:worker_threads";

/** Data that the extension's thread starts with. */
export interface ExtensionThread {
  /** Folder of the transpiled component. */
  readonly folder: string;
  /** The address of jco's WASI, for Node. */
  readonly shim: string;
  readonly port: MessagePort;
  /** One number: 1 once the answer to a {@link HostCall} is there. */
  readonly answered: SharedArrayBuffer;
}

/** The extension asks Zed. */
export interface HostCall {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** Zed calls the extension. */
export interface ExtensionCall extends HostCall {
  readonly id: number;
}

/** Result of a call in either direction. `failure` is the error of a WIT result. */
export type CallOutcome = { readonly value: unknown } | { readonly failure: string };

/** An HTTP request as the extension makes it. */
export interface ZedHttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Uint8Array<ArrayBuffer>;
}
