import { detailScript } from "./detail-script.js";
import { diagramScript } from "./diagram-script.js";
import { labelScript } from "./label-script.js";
import { rowsScript } from "./rows-script.js";
import { toolbarScript } from "./toolbar-script.js";

/** The page's script: pure parts first, then those that touch the document. */
export const pageScript = `(() => {
"use strict";
const trace = JSON.parse(document.getElementById("trace-data").textContent);
${labelScript}
${rowsScript}
${detailScript}
${diagramScript}
${toolbarScript}
})();`;
