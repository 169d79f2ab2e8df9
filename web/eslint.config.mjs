import js from "@eslint/js";
import ts from "typescript-eslint";

export default ts.config(
    { ignores: ["node_modules", "out"] },
    js.configs.recommended,
    ...ts.configs.recommendedTypeChecked.map(c => ({ ...c, files: ["src/**/*.ts"] })),
    {
        files: ["src/**/*.ts"],
        languageOptions: { parserOptions: { project: "./tsconfig.json" } },
        rules: { "@typescript-eslint/no-floating-promises": "error" },
    },
    {
        files: ["*.mjs", "tests/*.mjs"],
        languageOptions: { globals: { console: "readonly", process: "readonly", document: "readonly", window: "readonly", URL: "readonly", setTimeout: "readonly", fetch: "readonly" } },
    },
);
