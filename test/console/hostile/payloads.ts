/** Scripts that break out of where a text is put; each sets `ran` on the window. */
export const BREAK_OUT = [
  `"><img src=x onerror=window.ran=1>`,
  `'><svg onload=window.ran=1>`,
  `javascript:window.ran=1`,
  `{{constructor.constructor('window.ran=1')()}}`,
  `</script><script>window.ran=1</script>`,
];
