// Owns the work that is measured: the same jobs, byte for byte, for the service and for every baseline.

export const JOB_TYPE = 'bench.order-confirmed.v1';
export const BATCH_SIZE = 1_000;

/** A realistic payload of about 300 bytes; `n` makes it distinct without changing its length. */
export function payload(n: number): string {
  const id = String(n).padStart(8, '0');
  return JSON.stringify({
    orderId: `ord_${id}`,
    customer: { id: `cus_${id}`, email: `customer.${id}@example.com`, locale: 'en-GB' },
    items: [
      { sku: 'TEA-EARL-GREY-250', quantity: 2, price: '7.90' },
      { sku: 'MUG-STONEWARE-BLUE', quantity: 1, price: '14.50' },
    ],
    total: '30.30',
    currency: 'EUR',
    note: 'Leave it with the neighbours, please – thank you! ☕',
  });
}

/** The body of `POST /jobs`. */
export function jobBody(n: number): string {
  return `{"type":"${JOB_TYPE}","payload":${payload(n)}}`;
}

/** The body of `POST /jobs/batch` with `size` jobs, numbered from `from`. */
export function batchBody(from: number, size: number): string {
  return `{"jobs":[${Array.from({ length: size }, (_, index) => jobBody(from + index)).join(',')}]}`;
}
