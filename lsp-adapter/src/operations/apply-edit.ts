import {
  type ApplyAnswer,
  type ApplyParams,
  pathOfFileUri,
  type OperationState,
  type WorkspaceChange,
  normalFileUri,
} from "@symposium-dev/core";
import { applyTextEdits, FileTransaction, type PlannedFile } from "../documents/file-transaction.js";
import type { OperationContext } from "./operation-context.js";
import { refusedFile } from "./refused-file.js";

const ready: OperationState = { kind: "ready" };

/**
 * Applies an edit on disk, completely or not at all. Refuses files outside the workspace, with unsaved text, or that contain secrets or
 * make tools run programs, since nobody can be asked.
 */
export async function applyEdit(context: OperationContext, { edit }: ApplyParams): Promise<ApplyAnswer> {
  const refused = await refusedFile(edit, context.workspace.folder);
  if (refused) {
    const refusal = `Tools can't edit ${refused.path}: it ${refused.why}.`;
    return { state: ready, isApplied: false, refusal };
  }
  const plan = new EditPlan(context);
  for (const change of edit.changes) {
    const refusal = plan.add(change);
    if (refusal !== undefined) return { state: ready, isApplied: false, refusal };
  }
  const refusal = await new FileTransaction(plan.files).run();
  await context.workspace.follow();
  return refusal === undefined ? { state: ready, isApplied: true } : { state: ready, isApplied: false, refusal };
}

/** Plan of an edit, which computes the new contents of all files before the first write. */
class EditPlan {
  /** Texts by path; null for a deleted file. */
  readonly #texts = new Map<string, string | null>();
  readonly #before = new Map<string, string | null>();

  constructor(private readonly context: OperationContext) {}

  get files(): readonly PlannedFile[] {
    return [...this.#texts].map(([path, text]) => ({ path, before: this.#before.get(path) ?? null, after: text }));
  }

  /** Adds a step to the plan. Returns the reason if the step is impossible, otherwise undefined. */
  add(change: WorkspaceChange): string | undefined {
    switch (change.kind) {
      case "edit":
        return this.#on(change.uri, (path, text) => {
          if (text === null) return `${path} doesn't exist or isn't UTF-8 text.`;
          const edited = applyTextEdits(text, change.edits);
          if (edited === undefined) return `The edits of ${path} overlap or don't match its text.`;
          this.#texts.set(path, edited);
          return undefined;
        });
      case "create":
        return this.#on(change.uri, (path, text) => {
          if (text !== null && change.overwrite !== true) return `${path} exists already.`;
          this.#texts.set(path, "");
          return undefined;
        });
      case "delete":
        return this.#on(change.uri, (path, text) => {
          if (text === null) return `${path} doesn't exist or isn't UTF-8 text.`;
          this.#texts.set(path, null);
          return undefined;
        });
      case "rename":
        return this.#on(change.from, (from, text) =>
          this.#on(change.to, (to, there) => {
            if (text === null) return `${from} doesn't exist or isn't UTF-8 text.`;
            if (there !== null) return `${to} exists already.`;
            this.#texts.set(from, null);
            this.#texts.set(to, text);
            return undefined;
          }),
        );
    }
  }

  #on(uri: string, act: (path: string, text: string | null) => string | undefined): string | undefined {
    const path = pathOfFileUri(uri);
    if (path === undefined) return `${uri} isn't a file.`;
    const { view } = this.context;
    const canonical = normalFileUri(uri);
    const onDisk = view.diskTextOf(canonical) ?? null;
    const unsaved = view.unsaved.get(canonical);
    if (unsaved !== undefined && unsaved !== onDisk) return `${path} has unsaved changes. Save it first.`;
    if (!this.#before.has(path)) this.#before.set(path, onDisk);
    return act(path, this.#texts.has(path) ? (this.#texts.get(path) ?? null) : onDisk);
  }
}
