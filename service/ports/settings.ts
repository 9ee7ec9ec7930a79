// Owns what the service asks of storage about settings that operators change at run time.

/** A setting that an operator has stored for all nodes; what its text means is not the store's business. */
export interface StoredSetting {
  readonly name: string;
  readonly value: string;
  readonly updatedAt: number;
  readonly updatedBy: string | null;
}

export interface StoredSettings {
  readonly settings: readonly StoredSetting[];
  readonly revision: number;
}

export interface SettingsStore {
  read(): Promise<StoredSettings>;
  /** Stores texts and removes what is null, all or none; null when the revision is no longer the one that was `seen`. */
  change(changes: Readonly<Record<string, string | null>>, by: string, seen: number): Promise<StoredSettings | null>;
}
