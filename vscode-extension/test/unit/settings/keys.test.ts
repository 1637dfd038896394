import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The keys that type a character with AltGr, on Windows' layouts: there Ctrl+Alt is AltGr. */
const altGr: Readonly<Record<string, string>> = {
  "de: German": "q e m 2 3 7 8 9 0 ß + <",
  "pl: Polish (Programmers)": "a c e l n o s u x z",
  "fr: French": "e 2 3 4 5 6 7 8 9 0 ) = $",
  "es: Spanish": "º 1 2 3 4 5 6 e [ ] ' `",
  "cz: Czech": "q w e f g x c v b n k l s d 1 2 3 4 5 6 7 8 9 0 - = ; ' , .",
  "hu: Hungarian": "q w e r u i a s d f g j k l y x c v b n m 1 2 3 4 5 6 7 8 9 0 - = [ ] ; ' , . /",
};

interface Binding {
  readonly command: string;
  readonly key: string;
  readonly mac?: string;
}

describe("the keys of the extension", () => {
  let bindings: readonly Binding[];
  before(async () => {
    const text = await readFile(join(import.meta.dirname, "../../../../package.json"), "utf8");
    const { contributes } = JSON.parse(text) as { contributes: { keybindings: readonly Binding[] } };
    bindings = contributes.keybindings;
  });

  it("type no character on keyboards with AltGr", () => {
    const typed = bindings.flatMap(({ key }) =>
      Object.entries(altGr).flatMap(([layout, keys]) =>
        key.startsWith("ctrl+alt+") && keys.split(" ").includes(key.slice("ctrl+alt+".length))
          ? [`${key} on ${layout}`]
          : [],
      ),
    );
    assert.deepEqual(typed, []);
    assert.ok(bindings.some(({ key }) => key.startsWith("ctrl+alt+")));
  });

  it("have one for Macs, without Option, which types characters there", () => {
    assert.deepEqual(
      bindings.filter(({ mac }) => mac === undefined || mac.includes("alt")),
      [],
    );
  });
});
