import type * as vscode from "vscode";
import {
  type CodeAction,
  type IdeOperationHandlers,
  messageOf,
  type Range,
  SymposiumError,
  pageOf,
} from "@symposium-dev/core";
import type { EditorDocument } from "./editor.js";
import type { Workspace } from "./languages.js";
import { toTextEdit, toWorkspaceEdit } from "./workspace-edits.js";

interface ActionRange {
  readonly document: EditorDocument;
  readonly version: number;
  readonly range: Range;
  readonly only: string | undefined;
}

interface RegisteredAction extends ActionRange {
  readonly title: string;
  readonly kind: string | undefined;
}

const maxRegistered = 500;
/** Symposium's own actions only move the focus and change no code. */
const ownCommands = /^symposium\./;

export function codeActionOperations({
  editor,
  languages,
}: Workspace): Required<Pick<IdeOperationHandlers, "codeActions" | "resolveCodeAction">> {
  const registered = new Map<string, RegisteredAction>();
  let last = 0;

  const register = (one: RegisteredAction): string => {
    const id = `action-${++last}`;
    registered.set(id, one);
    const [oldest] = registered.keys();
    if (registered.size > maxRegistered && oldest !== undefined) registered.delete(oldest);
    return id;
  };

  const find = async ({ document, range, only }: ActionRange, resolved = 0): Promise<readonly vscode.CodeAction[]> => {
    const found = await editor.ask("vscode.executeCodeActionProvider", document.uri, range, only, resolved);
    return (found ?? []).filter(isAction).filter(({ command }) => !ownCommands.test(command?.command ?? ""));
  };

  return {
    async codeActions({ uri, range, only, ...part }, signal) {
      const document = await editor.open(uri, signal);
      const kinds = only === undefined || only.length === 0 ? [undefined] : only;
      const { items, state } = await languages.answer({ document, signal }, async () => {
        const asked = kinds.map((kind) => ({ document, version: document.version, range, only: kind }));
        const found = await Promise.all(asked.map(async (one) => (await find(one)).map((action) => ({ one, action }))));
        return found.flat().map(({ one, action }) => ({ ...one, ...described(action) }));
      });
      const page = pageOf(items, part, state);
      return { ...page, items: page.items.map((one) => toCodeAction(register(one), one)) };
    },
    async resolveCodeAction({ id }, signal) {
      const asked = registered.get(id);
      if (!asked) {
        const problem = `The code action "${id}" no longer exists.`;
        throw new SymposiumError("ide-operation-failed", problem, "Request the code actions again.");
      }
      const { document, version, title, kind } = asked;
      const { state } = await languages.readiness(document, signal);
      const refused = (refusal: string): { state: typeof state; edit: null; refusal: string } => ({
        state,
        edit: null,
        refusal,
      });
      if (document.version !== version) return refused("The document has changed. Request its code actions again.");
      const isWanted = (action: vscode.CodeAction): boolean => action.title === title && action.kind?.value === kind;
      const index = (await find(asked)).findIndex(isWanted);
      // VS Code resolves only the first N actions. Some of these may be Symposium's own, which are left out.
      const action = index === -1 ? undefined : (await find(asked, index + 2)).find(isWanted);
      if (!action) return refused("The action is no longer available.");
      if (!action.edit) return refused("The action is an editor command and has no edit to preview.");
      const edit = toWorkspaceEdit(action.edit);
      if (!edit) return refused("The action's edit contains more than text and file changes.");
      return edit.changes.length === 0 ? refused("The action changes nothing.") : { state, edit };
    },
  };
}

type Described = Pick<RegisteredAction, "title" | "kind"> & {
  readonly isPreferred: boolean;
  readonly disabled: string | undefined;
};

function described({ title, kind, isPreferred = false, disabled }: vscode.CodeAction): Described {
  return { title, kind: kind?.value, isPreferred, disabled: disabled?.reason };
}

function toCodeAction(id: string, { title, kind, isPreferred, disabled }: Described): CodeAction {
  return {
    id,
    title,
    ...(kind === undefined ? {} : { kind }),
    ...(isPreferred ? { isPreferred } : {}),
    ...(disabled === undefined ? {} : { disabled }),
  };
}

function isAction(found: vscode.CodeAction | vscode.Command): found is vscode.CodeAction {
  return typeof found.command !== "string";
}

export function formatOperations({ editor, languages }: Workspace): Required<Pick<IdeOperationHandlers, "format">> {
  return {
    async format({ uri, range }, signal) {
      const document = await editor.open(uri, signal);
      const { state } = await languages.readiness(document, signal);
      const options = editor.formatOptions(document);
      let edits: readonly vscode.TextEdit[] | undefined;
      try {
        edits =
          range === undefined
            ? await editor.ask("vscode.executeFormatDocumentProvider", document.uri, options)
            : await editor.ask("vscode.executeFormatRangeProvider", document.uri, range, options);
      } catch (thrown) {
        return { state, edits: [], refusal: messageOf(thrown) };
      }
      if (edits !== undefined) return { state, edits: edits.map(toTextEdit) };
      const what = range === undefined ? "formats" : "formats a part of";
      return { state, edits: [], refusal: `No installed extension ${what} the language "${document.languageId}".` };
    },
  };
}

export function renameOperations({ editor, languages }: Workspace): Required<Pick<IdeOperationHandlers, "rename">> {
  return {
    async rename({ uri, position, newName }, signal) {
      const document = await editor.open(uri, signal);
      let refusal = "Nothing can be renamed here.";
      const { items, state } = await languages.answer({ document, signal, isWhole: true }, async () => {
        try {
          const edit = await editor.ask("vscode.executeDocumentRenameProvider", document.uri, position, newName);
          const changes = edit && toWorkspaceEdit(edit)?.changes;
          if (changes === undefined) refusal = "The extension's edit contains more than text and file changes.";
          return changes ?? [];
        } catch (thrown) {
          refusal = messageOf(thrown);
          return [];
        }
      });
      return items.length === 0 ? { state, edit: null, refusal } : { state, edit: { changes: items } };
    },
  };
}
