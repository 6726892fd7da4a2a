export { Editor } from "../../editor/codemirror.js";
