export { Differences, Editor } from "../../editor/codemirror.js";
