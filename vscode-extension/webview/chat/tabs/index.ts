import "../../controls/controls.css";
import "../../controls/listbox.css";
import "./tabs.css";
export { NoTab } from "./no-tab.js";
export { TabBar, type TabEntry } from "./tab-bar.js";
