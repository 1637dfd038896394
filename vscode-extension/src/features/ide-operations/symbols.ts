import type { IdeOperationHandlers, SymbolItem } from "@symposium-dev/core";
import type * as vscode from "vscode";
import { isInside } from "@symposium-dev/core/node";
import { inOrder, pageOf, toUri } from "./places.js";
import { toFoundSymbol, toOutline } from "./symbol-items.js";
import type { Workspace } from "./workspace.js";

/** Outlines of documents, and symbols of the workspace by a part of their name. */
export function symbolOperations({
  folder,
  editor,
  languages,
}: Workspace): Required<Pick<IdeOperationHandlers, "documentSymbols" | "workspaceSymbols">> {
  const isOfWorkspace = ({ location: { uri } }: vscode.SymbolInformation): boolean =>
    uri.scheme === "file" && isInside(uri.fsPath, folder) && !/[\\/]node_modules[\\/]/.test(uri.fsPath);

  const located = async (found: readonly vscode.SymbolInformation[]): Promise<SymbolItem[]> => {
    const texts = new Map<string, Promise<string | null>>();
    return Promise.all(
      found.map(async (symbol) => {
        const uri = toUri(symbol.location.uri);
        const text = texts.get(uri) ?? editor.text(uri);
        texts.set(uri, text);
        return toFoundSymbol(symbol, await text);
      }),
    );
  };

  return {
    async documentSymbols({ uri, ...part }, signal) {
      const document = await editor.open(uri, signal);
      const { items, state } = await languages.answer({ document, signal }, async () =>
        toOutline(toUri(document.uri), (await editor.ask("vscode.executeDocumentSymbolProvider", document.uri)) ?? []),
      );
      return pageOf(items, part, state);
    },
    async workspaceSymbols({ query, ...part }, signal) {
      // Extensions know nothing of a workspace before one of its documents is open.
      const samples = await editor.samples(folder);
      const documents = await Promise.all(samples.map((uri) => editor.open(uri, signal)));
      const state = await languages.folderState(documents, signal);
      const found = (await editor.ask("vscode.executeWorkspaceSymbolProvider", query)) ?? [];
      const { items, total } = pageOf(inOrder(found.filter(isOfWorkspace).map(withPlace)), part, state);
      return { state, items: await located(items.map(({ symbol }) => symbol)), total };
    },
  };
}

function withPlace(symbol: vscode.SymbolInformation): {
  uri: string;
  range: vscode.Range;
  symbol: vscode.SymbolInformation;
} {
  return { uri: toUri(symbol.location.uri), range: symbol.location.range, symbol };
}
