import assert from "node:assert/strict";
import { type IdeOperationName, SymposiumError } from "@symposium-dev/core";
import { fakeServer } from "../support/fake-server.js";
import { Stage } from "../support/stage.js";
import { useTestScope } from "../support/test-scope.js";

describe("a language server of an older version", () => {
  const scope = useTestScope();

  const lacks: Readonly<Partial<Record<IdeOperationName, string>>> = {
    supertypes: "type hierarchies (textDocument/prepareTypeHierarchy)",
    subtypes: "type hierarchies (textDocument/prepareTypeHierarchy)",
    incomingCalls: "call hierarchies (textDocument/prepareCallHierarchy)",
    implementations: "implementations (textDocument/implementation)",
    hover: "hover texts (textDocument/hover)",
    references: "references (textDocument/references)",
    workspaceSymbols: "workspace symbols (workspace/symbol)",
  };
  for (const [operation, what] of Object.entries(lacks) as [IdeOperationName, string][]) {
    it(`is named with its version where it does not know ${operation}, announced or not`, async () => {
      const stage = scope().use(await Stage.open({ files: { "a.fake": "text\n" }, settings: fakeServer("old") }));
      const at = {
        uri: stage.uri("a.fake"),
        position: { line: 0, character: 0 },
        includeDeclaration: true,
        query: "fake",
      };
      for (let time = 0; time < 2; time++) {
        const failure: unknown = await stage.run(operation as "hover", at).catch((error: unknown) => error);
        assert.ok(failure instanceof SymposiumError, String(failure));
        assert.deepEqual(
          [failure.code, failure.message, failure.hint],
          [
            "ide-operation-failed",
            `fake 14.0.6 doesn't support ${what}.`,
            "Updating it may help. Otherwise, use another operation or search the text.",
          ],
        );
      }
    });
  }
});
