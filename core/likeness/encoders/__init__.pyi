from .digests import digest as digest, folder_digests as folder_digests
from .encoder import Encoder as Encoder, StagedEncoder as StagedEncoder, Tower as Tower, TowerEncoder as TowerEncoder
from .family import EncoderFamily as EncoderFamily, EncoderName as EncoderName, PathChange as PathChange
from .lengths import image_lengths as image_lengths
from .load import download_encoder as download_encoder, encoder_is_here as encoder_is_here, load_encoder as load_encoder
from .models.batch_norm import fold_batch_norm as fold_batch_norm
from .models.clip import ClipEncoder as ClipEncoder
from .models.device import choose_device as choose_device, fetch_later as fetch_later, to_device as to_device
from .models.download import free_space as free_space
from .models.hub import load_from_folder as load_from_folder, load_from_hub as load_from_hub
from .models.load_model import (
    open_clip_saved as open_clip_saved,
    quiet as quiet,
    timm_named as timm_named,
    transformers_folder as transformers_folder,
    transformers_hub as transformers_hub,
    transformers_hub_files as transformers_hub_files,
)
from .models.minilm import check_minilm_weights as check_minilm_weights, installed_folders as installed_folders, minilm_folder as minilm_folder
from .models.photos import (
    HEAD_FILE as HEAD_FILE,
    MEAN as MEAN,
    NETWORK as NETWORK,
    NETWORK_FILE as NETWORK_FILE,
    NETWORK_OPTIONS as NETWORK_OPTIONS,
    STD as STD,
    features_and_logits as features_and_logits,
    photo_network as photo_network,
    photo_network_file as photo_network_file,
    photo_transform as photo_transform,
    root_rows as root_rows,
)
from .models.timm_tower import check_timm_name as check_timm_name, timm_pretrained as timm_pretrained
from .models.token_vectors import token_vectors as token_vectors
from .models.tower import MAX_ASPECT as MAX_ASPECT, ImagesOnly as ImagesOnly, ImageTower as ImageTower
from .names import (
    ENCODER_FAMILIES as ENCODER_FAMILIES,
    encoder_families as encoder_families,
    encoder_family as encoder_family,
    encoder_identity as encoder_identity,
    is_encoder_name as is_encoder_name,
    known_forms as known_forms,
    map_path as map_path,
    native_size as native_size,
    parse_name as parse_name,
    reads_text as reads_text,
)
from .objects import EncoderLike as EncoderLike, TextEncoder as TextEncoder
from .precision import PRECISIONS as PRECISIONS, split_precision as split_precision, with_precision as with_precision
from .published import PUBLISHED as PUBLISHED, PublishedEncoder as PublishedEncoder
from .speed import measure_speed as measure_speed, remembered_speeds as remembered_speeds
from .store.collected import Embeddings as Embeddings
from .store.images import (
    check_engine as check_engine,
    embed_images as embed_images,
    index_folder as index_folder,
    store_folder as store_folder,
    stored_of as stored_of,
)
from .store.pipeline import prepared_batches as prepared_batches
from .store.texts import (
    TextEmbeddings as TextEmbeddings,
    embed_texts as embed_texts,
    vocabulary_ships as vocabulary_ships,
)
from .vocabulary import (
    CutText as CutText,
    check_text as check_text,
    cut_ends as cut_ends,
    cut_texts as cut_texts,
    reads_nothing as reads_nothing,
    text_warnings as text_warnings,
    unknown_words as unknown_words,
    unread_words as unread_words,
)
