declare module 'virtual:chart' {
  export const chart: import('./chart.ts').DrawnChart;
}
