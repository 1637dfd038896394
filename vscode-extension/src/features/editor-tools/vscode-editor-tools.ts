import { SymposiumError } from "@symposium-dev/core";
import * as vscode from "vscode";
import * as z from "zod/mini";
import type { EditorTool, EditorToolSource } from "./editor-tools.js";

const manifest = z.looseObject({
  contributes: z.looseObject({ languageModelTools: z.array(z.looseObject({ name: z.string() })) }),
});

/** Returns this VS Code window's tools. `ownId` is the id of this extension, whose tools are meant only for the editor's models. */
export function vscodeEditorTools(ownId: string): EditorToolSource {
  return {
    get tools(): readonly EditorTool[] {
      return vscode.lm.tools;
    },
    get contributed() {
      const names = vscode.extensions.all.flatMap(({ id, packageJSON }) => {
        const parsed = manifest.safeParse(packageJSON);
        return parsed.success && id !== ownId ? parsed.data.contributes.languageModelTools : [];
      });
      return new Set(names.map(({ name }) => name));
    },
    invoke,
  };
}

async function invoke(name: string, input: object, signal: AbortSignal): Promise<readonly unknown[]> {
  const source = new vscode.CancellationTokenSource();
  const cancel = (): void => source.cancel();
  signal.addEventListener("abort", cancel, { once: true });
  if (signal.aborted) cancel();
  try {
    // Without an invocation token, VS Code asks in a dialog instead of its chat.
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, source.token);
    return content.map(toPlain);
  } catch (thrown) {
    const isRefused =
      thrown instanceof vscode.CancellationError || (thrown instanceof Error && thrown.name === "Canceled");
    if (!isRefused || signal.aborted) throw thrown;
    throw new SymposiumError(
      "editor-refused",
      `The user did not allow "${name}" in VS Code.`,
      "Do it in another way, or ask the user.",
    );
  } finally {
    signal.removeEventListener("abort", cancel);
    source.dispose();
  }
}

/** Converts a result part to JSON, with bytes as base64. */
function toPlain(part: unknown): unknown {
  if (!(part instanceof vscode.LanguageModelDataPart)) return part;
  const { data, mimeType } = part;
  return { mimeType, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64") };
}
