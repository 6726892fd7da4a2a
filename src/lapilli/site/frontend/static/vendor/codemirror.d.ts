export { Differences, Editor } from "../../codemirror/codemirror.js";
