import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ViewPlacement } from "../../../src/features/placement/view-placement.js";

interface Manifest {
  readonly contributes: {
    readonly viewsContainers: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly when: string }[]>>;
    readonly menus: { readonly "view/title": readonly { readonly when: string }[] };
  };
}

describe("the place of the views", () => {
  /** What the editor was told; `known` are the commands that it has. */
  async function told(known: readonly string[]): Promise<unknown[]> {
    const said: unknown[] = [];
    const placement = new ViewPlacement({
      getCommands: () => Promise.resolve(known),
      executeCommand: (...words) => Promise.resolve(said.push(words)),
    });
    await placement.focus("chatView");
    await placement.focus("settingsView");
    return said;
  }

  it("is the secondary side bar where the editor has taken our container there", async () => {
    assert.deepEqual(await told(["workbench.view.explorer", "workbench.view.extension.symposium"]), [
      ["setContext", "symposium.isInActivityBar", false],
      ["symposium.chatView.focus"],
      ["symposium.settingsView.focus"],
    ]);
  });

  it("is the activity bar where it has not, with a double of each view", async () => {
    assert.deepEqual(await told(["workbench.view.explorer", "workbench.view.extension.symposium-activity-bar"]), [
      ["setContext", "symposium.isInActivityBar", true],
      ["symposium.chatViewInActivityBar.focus"],
      ["symposium.settingsViewInActivityBar.focus"],
    ]);
  });

  it("is in package.json as it is here: one view of each pair is shown, with the same buttons", async () => {
    const text = await readFile(join(import.meta.dirname, "../../../../package.json"), "utf8");
    const { viewsContainers, views, menus } = (JSON.parse(text) as Manifest).contributes;
    // An editor that refuses the second kind of container reads no further: the first has to be there by then.
    assert.deepEqual(
      Object.entries(viewsContainers).map(([place, containers]) => [place, ...containers.map(({ id }) => id)]),
      [
        ["activitybar", "symposium-activity-bar"],
        ["secondarySidebar", "symposium"],
      ],
    );
    const [chat, settings] = [ViewPlacement.idsOf("chatView"), ViewPlacement.idsOf("settingsView")];
    assert.deepEqual(
      Object.values(views).map((list) => list.map(({ id, when }) => [id, when])),
      [
        [chat[0], settings[0]].map((id) => [id, "!symposium.isInActivityBar"]),
        [chat[1], settings[1]].map((id) => [id, "symposium.isInActivityBar"]),
      ],
    );
    const patterns = menus["view/title"].map(({ when }) => /^view =~ \/(.+)\/$/u.exec(when)?.[1]);
    assert.deepEqual(new Set(patterns), new Set(["^symposium\\.chatView", "^symposium\\.settingsView"]));
  });
});
