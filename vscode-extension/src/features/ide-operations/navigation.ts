import type { IdeOperationHandlers, IdeParams, IdeResult, Location, Target } from "@symposium-dev/core";
import { inOrder, keyOf, pageOf, toLocation, toTarget } from "./places.js";
import type { Workspace } from "./workspace.js";

type Names = "definition" | "typeDefinition" | "references" | "implementations";
type TargetCommand =
  "vscode.executeDefinitionProvider" | "vscode.executeTypeDefinitionProvider" | "vscode.executeImplementationProvider";

/** Where symbols are defined, implemented and used. */
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

/** VS Code always counts declarations among the references. */
function withoutDeclarations(items: readonly Location[], declarations: readonly Location[]): Location[] {
  const declared = new Set(declarations.map(keyOf));
  return items.filter((item) => !declared.has(keyOf(item)));
}
