import assert from "node:assert/strict";
import { positionOf } from "../support/folders.js";
import { useServer } from "../support/installed-servers.js";
import { typescript } from "../support/projects.js";
import { patient, Stage } from "../support/stage.js";
import { useTestScope } from "../support/test-scope.js";

const { files, usedIn, declaredIn, name } = typescript;
const used = files[usedIn] ?? "";

describe("a server that counts columns in its own way", function () {
  this.timeout(300_000);
  const pathFor = useServer("typescript 7");
  const scope = useTestScope();

  for (const encoding of ["utf-8", "utf-16"] as const) {
    it(`is understood behind an emoji when it counts by ${encoding}`, async function () {
      const options = { files, path: pathFor(this), settings: patient, encodings: [encoding] };
      const stage = scope().use(await Stage.open(options));
      const position = positionOf(used, name, used.slice(used.indexOf(name)).lastIndexOf(name));
      const { items } = await stage.run("definition", { uri: stage.uri(usedIn), position });
      const at = { uri: stage.uri(declaredIn), position: positionOf(files[declaredIn] ?? "", name) };
      const { edit } = await stage.run("rename", { ...at, newName: "x" });
      const edits = edit?.changes.find((change) => change.kind === "edit" && change.uri.endsWith(usedIn));
      const columns = edits?.kind === "edit" ? edits.edits.map(({ range }) => range.start.character) : [];
      const running = stage.workspace.servers.map((server) => server.running?.server.encoding);
      assert.deepEqual(
        { running, definition: items[0]?.range.start, columns },
        {
          running: [encoding],
          definition: at.position,
          columns: used.split("\n").flatMap((text) => (text.includes(name) ? [text.indexOf(name)] : [])),
        },
      );
    });
  }
});
