import { resolveSymbol } from "../symbols/resolve-symbol.js";
import { bounded } from "../text/bounded.js";
import { shownPlace } from "../text/place-lines.js";
import { stateMark } from "../text/state-mark.js";
import { type IdeToolEntry, symbolProperty } from "./ide-tool.js";

const maxLength = 6_000;

/** Type and documentation. */
export const hoverTool: IdeToolEntry = {
  name: "hover",
  description: "Type and documentation of a symbol.",
  needs: ["hover"],
  properties: { symbol: symbolProperty },
  required: ["symbol"],
  async run(call, args) {
    const { uri, position, name } = await resolveSymbol(call, args.required("symbol"));
    const { text } = await call.ask("hover", { uri, position });
    const head = `${name} at ${shownPlace(call, uri, position)} ${stateMark(call.state)}`;
    return text === null ? `${head}\nnothing is known of it` : `${head}\n${bounded(text.trim(), maxLength)}`;
  },
};
