/** Generated from schemas/dependency-review.schema.json by `batchwright types`; edit the schema instead. */

export interface DependencyReview {
  purpose: string;
  licence: string;
  licence_family: 'permissive' | 'weak_copyleft' | 'strong_copyleft' | 'proprietary' | 'unclear';
  runs_on_install: boolean;
  risk: 'low' | 'medium' | 'high';
  reason: string;
}
