import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chatViewIds, ViewPlacement } from "../../../src/features/placement/view-placement.js";

interface Manifest {
  readonly contributes: {
    readonly viewsContainers: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly when: string }[]>>;
    readonly menus: { readonly "view/title": readonly { readonly command: string; readonly when: string }[] };
  };
}

describe("the place of the views", () => {
  /** Returns the commands that were executed. `known` lists the editor's commands. */
  async function told(known: readonly string[]): Promise<unknown[]> {
    const said: unknown[] = [];
    const placement = new ViewPlacement({
      getCommands: () => Promise.resolve(known),
      executeCommand: (...words) => Promise.resolve(said.push(words)),
    });
    await placement.focus();
    return said;
  }

  it("is the secondary side bar where the editor has taken our container there", async () => {
    assert.deepEqual(await told(["workbench.view.explorer", "workbench.view.extension.symposium"]), [
      ["setContext", "symposium.isInActivityBar", false],
      ["symposium.chatView.focus"],
    ]);
  });

  it("is the activity bar where it has not, with a double of the view", async () => {
    assert.deepEqual(await told(["workbench.view.explorer", "workbench.view.extension.symposium-activity-bar"]), [
      ["setContext", "symposium.isInActivityBar", true],
      ["symposium.chatViewInActivityBar.focus"],
    ]);
  });

  it("is in package.json as it is here: one view is shown, with the same buttons", async () => {
    const text = await readFile(join(import.meta.dirname, "../../../../package.json"), "utf8");
    const { viewsContainers, views, menus } = (JSON.parse(text) as Manifest).contributes;
    // Editors that reject the second kind of container read no further, so the activity bar must come first.
    assert.deepEqual(
      Object.entries(viewsContainers).map(([place, containers]) => [place, ...containers.map(({ id }) => id)]),
      [
        ["activitybar", "symposium-activity-bar"],
        ["secondarySidebar", "symposium"],
      ],
    );
    // One view, so that VS Code gives it no header of its own.
    assert.deepEqual(
      Object.values(views).map((list) => list.map(({ id, when }) => [id, when])),
      [[[chatViewIds[0], "!symposium.isInActivityBar"]], [[chatViewIds[1], "symposium.isInActivityBar"]]],
    );
    const patterns = menus["view/title"].map(({ when }) => /^view =~ \/(.+)\/$/u.exec(when)?.[1]);
    assert.deepEqual(new Set(patterns), new Set(["^symposium\\.chatView"]));
    // The tabs have a button for new chats.
    assert.equal(menus["view/title"].filter(({ command }) => command === "symposium.newTab").length, 0);
  });
});
