import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { type Diagnostic, type OperationState, worstState, normalFileUri } from "@symposium-dev/core";
import { DocumentDiagnosticRequest, ExecuteCommandRequest } from "vscode-languageserver-protocol/node";
import { fromServer } from "../connection/position-encoding.js";
import type { RunningServer } from "../health/supervised-server.js";
import type { DocumentView } from "../documents/client-documents.js";
import type { Workspace } from "../workspace.js";
import { toDiagnostics, tsserverDiagnostics, tsserverQuestions } from "./wire-diagnostics.js";
import { type Wire, wireList, wireObject } from "./wire-places.js";

interface CheckedDocument {
  readonly raw: readonly Wire[];
  readonly diagnostics: readonly Diagnostic[];
  /** Fingerprint of the diagnostics, which shows whether they have changed. */
  readonly fingerprint: string;
  readonly revision: number;
}

interface Asked {
  readonly workspace: Workspace;
  readonly view: DocumentView;
}

export type Check =
  | {
      readonly kind: "checked";
      readonly diagnostics: readonly Diagnostic[];
      readonly revision: number;
      readonly state: OperationState;
    }
  /** Result of a check that the server hasn't finished for the current text. */
  | { readonly kind: "pending"; readonly state: OperationState }
  | { readonly kind: "unavailable"; readonly state: OperationState };

/** Milliseconds without a message after which a server that publishes diagnostics is considered finished. */
const silenceMs = 250;
const pollMs = 20;
/**
 * Milliseconds to wait after a change to another file. A server that publishes this document's diagnostics again does so within this time.
 */
const elsewhereMs = 1_500;
/** Maximum milliseconds for a server to register how it provides diagnostics. */
const registrationMs = 600;

/** Diagnostics of a workspace's documents, checked on request, with a revision for each change. */
export class DocumentDiagnostics {
  readonly #entries = new Map<string, CheckedDocument>();
  readonly #id = randomUUID();
  #revision = 0;

  /** Identifies the current revision, for later requests about changes. */
  get cursor(): string {
    return `${this.#id}:${this.#revision}`;
  }

  /** Returns the revision of a cursor; 0, which is the start, if the cursor is from another workspace. */
  revisionOf(cursor: string | undefined): number {
    const [id, revision] = (cursor ?? "").split(":");
    return id === this.#id ? Number(revision) : 0;
  }

  get known(): readonly string[] {
    return [...this.#entries.keys()];
  }

  /** Returns a document's latest diagnostics from its server, with positions in UTF-16 code units. */
  rawOf(uri: string): readonly Wire[] {
    return this.#entries.get(uri)?.raw ?? [];
  }

  async check(context: Asked, uri: string, signal: AbortSignal): Promise<Check> {
    const opened = await context.workspace.open(context.view, uri);
    if (opened === undefined) {
      const reason = "No language server is known for this file.";
      return { kind: "unavailable", state: { kind: "degraded", reason } };
    }
    if ("kind" in opened) return { kind: "unavailable", state: opened };
    if (opened.server.drivesTsserver) return this.#askTsserver(context, uri, signal);
    return (await this.#supportsPull(opened, signal))
      ? this.#pull(context, uri, signal)
      : this.#await(context, opened, uri, signal);
  }

  forget(uri: string): void {
    this.#entries.delete(uri);
  }

  /**
   * Returns whether the server supports pull diagnostics. Waits, since pyright registers them only after its start, unless the server has
   * already published diagnostics.
   */
  async #supportsPull({ server, published }: RunningServer, signal: AbortSignal): Promise<boolean> {
    for (let waited = 0; ; waited += pollMs) {
      if (server.capabilities.supports(DocumentDiagnosticRequest.method)) return true;
      if (published.size > 0 || waited >= registrationMs || signal.aborted) return false;
      await delay(pollMs);
    }
  }

  async #pull(context: Asked, uri: string, signal: AbortSignal): Promise<Check> {
    const { workspace, view } = context;
    const params = { textDocument: { uri } };
    const question = { view, uri, request: DocumentDiagnosticRequest.type, params, needsWhole: true };
    const reply = await workspace.ask(question, signal);
    if (reply.kind !== "answered") return { kind: "unavailable", state: reply.state };
    const { running, state } = reply;
    const pushed = running.published.get(uri);
    const isCurrent = pushed?.version === running.documents.shown(uri)?.version;
    const items = [
      ...wireList(wireObject(reply.value)["items"]),
      ...(pushed && isCurrent ? wireList(pushed.diagnostics) : []),
    ];
    return this.#record(uri, items, state);
  }

  async #askTsserver({ workspace, view }: Asked, uri: string, signal: AbortSignal): Promise<Check> {
    const items: Wire[] = [];
    const states: OperationState[] = [];
    for (const params of tsserverQuestions(uri)) {
      const question = { view, uri, request: ExecuteCommandRequest.type, params, needsWhole: false };
      const reply = await workspace.ask(question, signal);
      if (reply.kind !== "answered") return { kind: "unavailable", state: reply.state };
      const found = tsserverDiagnostics(reply.value);
      if (!found) return { kind: "pending", state: reply.state };
      items.push(...found);
      states.push(reply.state);
    }
    return this.#record(uri, items, worstState(states));
  }

  /** Waits until the server has published diagnostics for its latest text and sends no more messages. */
  async #await(context: Asked, running: RunningServer, uri: string, signal: AbortSignal): Promise<Check> {
    const { server, documents, published } = running;
    const { state } = server.readiness;
    const { readyTimeoutMs } = context.workspace.settings;
    for (let waited = 0; waited < readyTimeoutMs && !server.hasEnded && !signal.aborted; waited += pollMs) {
      const shown = documents.shown(uri);
      if (!shown) break;
      const now = performance.now();
      const last = published.get(uri);
      const isAfterText =
        last !== undefined && last.at >= shown.shownAt && (last.version ?? shown.version) === shown.version;
      const isAfterAll = isAfterText && (last.at >= running.changedAt || now - running.changedAt > elsewhereMs);
      if (isAfterAll && now - last.at >= silenceMs && server.readiness.isSettled) {
        const lineText = (document: string, line: number): string | undefined => context.view.lineOf(document, line);
        const items = wireList(fromServer(server.encoding, last.diagnostics, uri, lineText));
        return this.#record(uri, items, server.readiness.state);
      }
      await delay(pollMs);
    }
    return { kind: "pending", state };
  }

  #record(uri: string, items: readonly Wire[], state: OperationState): Check {
    const diagnostics = toDiagnostics(items);
    const fingerprint = JSON.stringify(diagnostics);
    const before = this.#entries.get(normalFileUri(uri));
    const revision = before?.fingerprint === fingerprint ? before.revision : ++this.#revision;
    this.#entries.set(normalFileUri(uri), { raw: items, diagnostics, fingerprint, revision });
    return { kind: "checked", diagnostics, revision, state };
  }
}
