import js from "@eslint/js";
import globals from "globals";

export default [
  { ignores: ["src/lapilli/site/frontend/static/vendor/"] },
  js.configs.recommended,
  {
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals: globals.browser },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-shadow": "error",
      "no-unused-vars": ["error", { argsIgnorePattern: "^_" }],
    },
  },
  { files: ["bundle.js"], languageOptions: { globals: globals.node } },
];
