/** Generated from schemas/ticket-label.schema.json by `batchwright types`; edit the schema instead. */

export interface TicketLabel {
  queue: 'billing' | 'technical' | 'delivery' | 'account';
  urgency: 'normal' | 'high';
  language: 'de' | 'en' | 'es' | 'fr' | 'zh' | 'other';
  summary: string;
}
