/** What is used of acorn. */
export function parse(code: string, options: { ecmaVersion: "latest"; sourceType: "module"; locations: boolean; onToken?: any[] }): any;
