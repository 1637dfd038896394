import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import fc from "fast-check";
import { fileUri, pathOfFileUri } from "../../src/base/file-uri.js";

describe("file URIs", () => {
  it("name POSIX paths, Windows drives and shares", () => {
    const paths = ["/w/a b/ä#?%.rs", "C:\\work\\a b.rs", "\\\\server\\share\\a.rs", "/"];
    const uris = paths.map(fileUri);
    assert.deepEqual(uris, [
      "file:///w/a%20b/%C3%A4%23%3F%25.rs",
      "file:///C:/work/a%20b.rs",
      "file://server/share/a.rs",
      "file:///",
    ]);
    assert.deepEqual(uris.map(pathOfFileUri), paths);
  });

  it("are read in the spellings of other programs", () => {
    const uris = [
      "file:///c%3A/a.rs",
      "file:///C:/a.rs",
      "FILE:///w/(a).rs",
      "file://localhost/w",
      "file:///w/a.rs#L3",
    ];
    assert.deepEqual(uris.map(pathOfFileUri), ["C:\\a.rs", "C:\\a.rs", "/w/(a).rs", "/w", "/w/a.rs"]);
  });

  it("are told from all others", () => {
    const uris = ["untitled:1", "https://host/a", "file:a", "/w/a.rs", "", "file:///%E0%A4%A"];
    assert.deepEqual(
      uris.map(pathOfFileUri),
      uris.map(() => undefined),
    );
  });

  it("lead back to every path, and are what Node would write but for what need not be escaped", () => {
    const segment = fc
      .string({ unit: "grapheme", minLength: 1 })
      .filter((text) => !/[/\\\0\r\n\t]|^\.\.?$|[\uD800-\uDFFF](?![\uDC00-\uDFFF])/.test(text));
    fc.assert(
      fc.property(fc.array(segment, { minLength: 1 }), (segments) => {
        const path = `/${segments.join("/")}`;
        assert.equal(pathOfFileUri(fileUri(path)), path);
        if (process.platform !== "win32") assert.equal(pathOfFileUri(pathToFileURL(path).href), path);
      }),
    );
  });
});
