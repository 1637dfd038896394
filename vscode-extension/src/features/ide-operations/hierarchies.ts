import type { CallItem, IdeOperationHandlers, IdeParams, PageAnswer, SymbolItem } from "@symposium-dev/core";
import type { EditorDocument } from "./editor.js";
import { pageOf, toRange } from "./places.js";
import { toHierarchySymbol } from "./symbol-items.js";
import type { Workspace } from "./workspace.js";

type Names = "incomingCalls" | "outgoingCalls" | "supertypes" | "subtypes";
type Params = IdeParams<"incomingCalls">;

/** Callers and callees, super- and subtypes. */
export function hierarchyOperations({ editor, languages }: Workspace): Required<Pick<IdeOperationHandlers, Names>> {
  const answers =
    <T>(find: (document: EditorDocument, position: Params["position"]) => Promise<readonly T[]>) =>
    async ({ uri, position, ...part }: Params, signal: AbortSignal): Promise<PageAnswer<T>> => {
      const document = await editor.open(uri, signal);
      const { items, state } = await languages.answer({ document, signal, isWhole: true }, () =>
        find(document, position),
      );
      return pageOf(items, part, state);
    };

  const types = (command: "vscode.provideSupertypes" | "vscode.provideSubtypes") =>
    answers<SymbolItem>(async ({ uri }, position) => {
      const prepared = (await editor.ask("vscode.prepareTypeHierarchy", uri, position)) ?? [];
      const found = await Promise.all(prepared.map((item) => editor.ask(command, item)));
      return found.flatMap((items) => (items ?? []).map(toHierarchySymbol));
    });

  return {
    incomingCalls: answers<CallItem>(async ({ uri }, position) => {
      const prepared = (await editor.ask("vscode.prepareCallHierarchy", uri, position)) ?? [];
      const found = await Promise.all(prepared.map((item) => editor.ask("vscode.provideIncomingCalls", item)));
      return found.flatMap((calls) =>
        (calls ?? []).map(({ from, fromRanges }) => ({
          symbol: toHierarchySymbol(from),
          ranges: fromRanges.map(toRange),
        })),
      );
    }),
    outgoingCalls: answers<CallItem>(async ({ uri }, position) => {
      const prepared = (await editor.ask("vscode.prepareCallHierarchy", uri, position)) ?? [];
      const found = await Promise.all(prepared.map((item) => editor.ask("vscode.provideOutgoingCalls", item)));
      return found.flatMap((calls) =>
        (calls ?? []).map(({ to, fromRanges }) => ({ symbol: toHierarchySymbol(to), ranges: fromRanges.map(toRange) })),
      );
    }),
    supertypes: types("vscode.provideSupertypes"),
    subtypes: types("vscode.provideSubtypes"),
  };
}
