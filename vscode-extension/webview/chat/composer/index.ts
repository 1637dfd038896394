import "../../controls/controls.css";
import "../../controls/listbox.css";
import "./composer.css";
export { Composer } from "./composer.js";
