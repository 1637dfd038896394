import { pageOf } from "@symposium-dev/core";
import type {
  CallItem,
  IdeOperationHandlers,
  IdeParams,
  IdeResult,
  Location,
  PageAnswer,
  SymbolItem,
  Target,
} from "@symposium-dev/core";
import type { EditorDocument } from "./editor.js";
import type { Workspace } from "./languages.js";
import { inOrder, keyOf, toLocation, toRange, toTarget } from "./places.js";
import { toHierarchySymbol } from "./symbols.js";

type Names = "definition" | "typeDefinition" | "references" | "implementations";
type TargetCommand =
  | "vscode.executeDefinitionProvider"
  | "vscode.executeTypeDefinitionProvider"
  | "vscode.executeImplementationProvider";

export function navigationOperations({ editor, languages }: Workspace): Required<Pick<IdeOperationHandlers, Names>> {
  type At = Pick<IdeParams<"definition">, "position"> & {
    readonly document: Parameters<typeof languages.answer>[0]["document"];
  };
  const find = async (command: TargetCommand, { document, position }: At): Promise<Target[]> =>
    inOrder(((await editor.ask(command, document.uri, position)) ?? []).map(toTarget));

  const targets =
    (command: TargetCommand, isWhole: boolean) =>
    async (
      { uri, position, ...part }: IdeParams<"definition">,
      signal: AbortSignal,
    ): Promise<IdeResult<"definition">> => {
      const document = await editor.open(uri, signal);
      const { items, state } = await languages.answer({ document, signal, isWhole }, () =>
        find(command, { document, position }),
      );
      return pageOf(items, part, state);
    };

  return {
    definition: targets("vscode.executeDefinitionProvider", false),
    typeDefinition: targets("vscode.executeTypeDefinitionProvider", false),
    implementations: targets("vscode.executeImplementationProvider", true),
    async references({ uri, position, includeDeclaration, ...part }, signal) {
      const document = await editor.open(uri, signal);
      const { items, state } = await languages.answer({ document, signal, isWhole: true }, async () => {
        const found = (await editor.ask("vscode.executeReferenceProvider", document.uri, position)) ?? [];
        return inOrder(found.map(toLocation));
      });
      if (includeDeclaration) return pageOf(items, part, state);
      const declared = await find("vscode.executeDefinitionProvider", { document, position });
      return pageOf(withoutDeclarations(items, declared), part, state);
    },
  };
}

/** Returns references without the declarations, which VS Code always includes. */
function withoutDeclarations(items: readonly Location[], declarations: readonly Location[]): Location[] {
  const declared = new Set(declarations.map(keyOf));
  return items.filter((item) => !declared.has(keyOf(item)));
}

const maxChars = 20_000;

export function hoverOperations({ editor, languages }: Workspace): Required<Pick<IdeOperationHandlers, "hover">> {
  return {
    async hover({ uri, position }, signal) {
      const document = await editor.open(uri, signal);
      const { items, state } = await languages.answer({ document, signal }, async () => {
        const hovers = (await editor.ask("vscode.executeHoverProvider", document.uri, position)) ?? [];
        return hovers.flatMap(({ contents }) => contents.map(toMarkdown)).filter((text) => text !== "");
      });
      return { state, text: items.length === 0 ? null : items.join("\n\n").slice(0, maxChars) };
    },
  };
}

type Content = string | { readonly value: string; readonly language?: string };

function toMarkdown(content: Content): string {
  if (typeof content === "string") return content.trim();
  const { value, language } = content;
  return language === undefined ? value.trim() : `\`\`\`${language}\n${value}\n\`\`\``;
}

type HierarchyNames = "incomingCalls" | "outgoingCalls" | "supertypes" | "subtypes";
type HierarchyParams = IdeParams<"incomingCalls">;

export function hierarchyOperations({
  editor,
  languages,
}: Workspace): Required<Pick<IdeOperationHandlers, HierarchyNames>> {
  const answers =
    <T>(find: (document: EditorDocument, position: HierarchyParams["position"]) => Promise<readonly T[]>) =>
    async ({ uri, position, ...part }: HierarchyParams, signal: AbortSignal): Promise<PageAnswer<T>> => {
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

  const calls = (command: "vscode.provideIncomingCalls" | "vscode.provideOutgoingCalls") =>
    answers<CallItem>(async ({ uri }, position) => {
      const prepared = (await editor.ask("vscode.prepareCallHierarchy", uri, position)) ?? [];
      const found = await Promise.all(prepared.map((item) => editor.ask(command, item)));
      return found.flatMap((some) =>
        (some ?? []).map((call) => ({
          symbol: toHierarchySymbol("from" in call ? call.from : call.to),
          ranges: call.fromRanges.map(toRange),
        })),
      );
    });

  return {
    incomingCalls: calls("vscode.provideIncomingCalls"),
    outgoingCalls: calls("vscode.provideOutgoingCalls"),
    supertypes: types("vscode.provideSupertypes"),
    subtypes: types("vscode.provideSubtypes"),
  };
}
